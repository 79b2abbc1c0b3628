//! How a problem on rigid bodies is filled: block by block, or with many contact points at once.

use crate::cone::Cone;
use crate::delassus::{InverseMass, Placed, RigidBodies, RowsOnPair, Touch};
use crate::hint::{FAR, fetch};
use crate::problem::{Block, Row};

/// Fills a problem block by block. See [`Problem::assemble`](crate::Problem::assemble).
#[derive(Debug)]
pub struct Assembler<'a> {
    pub(crate) blocks: &'a mut Vec<Block>,
    pub(crate) bias: &'a mut Vec<f64>,
    pub(crate) bodies: &'a mut RigidBodies,
    /// Whether blocks and biases are those of this problem.
    pub(crate) is_begun: bool,
}

impl Assembler<'_> {
    /// Adds a body and returns the index that rows refer to it by. Bodies that nothing moves need not be added: rows
    /// name them [`RigidBodies::IMMOVABLE`].
    pub fn add_body(&mut self, inverse: InverseMass) -> u32 {
        self.bodies.add_body(inverse)
    }

    /// Adds a block of rows on a pair of bodies.
    #[inline]
    pub fn add_block(&mut self, pair: [u32; 2], cone: Cone, rows: &[Row]) {
        self.begin();
        let mut block = self.begin_block(pair);
        for row in rows {
            block.push(&row.jacobian, row.bias, row.compliance);
        }
        if block.finish(cone) == 0 {
            // A block without rows is malformed, and is found to be.
            let first = self.bias.len() as u32;
            self.blocks.push(Block { first, len: 0, cone });
        }
    }

    /// Begins a block on a pair of bodies, for rows to be added one by one. It becomes one by [`BlockRows::finish`].
    #[inline]
    pub fn begin_block(&mut self, pair: [u32; 2]) -> BlockRows<'_> {
        self.begin();
        BlockRows {
            first: self.bias.len(),
            blocks: &mut *self.blocks,
            bias: &mut *self.bias,
            rows: self.bodies.rows_on(pair),
        }
    }

    /// Adds a block of so many rows without bounds, of the same compliance: that of a joint, of which there may be very many.
    #[inline]
    pub fn add_free<const N: usize>(
        &mut self,
        pair: [u32; 2],
        jacobians: &[[f64; 12]; N],
        bias: &[f64; N],
        compliance: f64,
    ) {
        self.begin();
        self.blocks.push(Block {
            first: self.bias.len() as u32,
            len: N as u32,
            cone: Cone::Free,
        });
        self.bias.extend_from_slice(bias);
        self.bodies.add_rows(pair, jacobians, compliance);
    }

    /// Makes room for contact points, which have so many rows together, to be filled in from the first to the last.
    pub fn add_touches(&mut self, touches: usize, rows: usize) -> TouchSlots<'_> {
        // What is there from before will be overwritten, and need not be wiped out first.
        let (block, row) = if std::mem::replace(&mut self.is_begun, true) {
            (self.blocks.len(), self.bias.len())
        } else {
            (0, 0)
        };
        self.blocks.resize(block + touches, Block::EMPTY);
        self.bias.resize(row + rows, 0.0);
        TouchSlots {
            row: row as u32,
            blocks: &mut self.blocks[block..],
            bias: &mut self.bias[row..],
            placed: self.bodies.add_touches(touches, rows),
            is_far: touches >= FAR,
        }
    }

    /// Forgets the blocks of the problem that was here before, the first time.
    #[inline]
    fn begin(&mut self) {
        if !self.is_begun {
            self.blocks.clear();
            self.bias.clear();
            self.is_begun = true;
        }
    }
}

/// A block that is being filled with rows. See [`Assembler::begin_block`].
#[derive(Debug)]
pub struct BlockRows<'a> {
    first: usize,
    blocks: &'a mut Vec<Block>,
    bias: &'a mut Vec<f64>,
    rows: RowsOnPair<'a>,
}

impl BlockRows<'_> {
    /// Adds a row; what the numbers are is said at [`Row`].
    #[inline(always)]
    pub fn push(&mut self, jacobian: &[f64; 12], bias: f64, compliance: f64) {
        self.bias.push(bias);
        self.rows.push(jacobian, compliance);
    }

    /// Makes the rows a block, and returns how many there are. If there are none, there is no block.
    #[inline]
    pub fn finish(self, cone: Cone) -> usize {
        let block = Block {
            first: self.first as u32,
            len: (self.bias.len() - self.first) as u32,
            cone,
        };
        if block.len > 0 {
            self.blocks.push(block);
        }
        block.len as usize
    }
}

/// Contact points between the one that is filled in and the one whose room is asked for.
const AHEAD: usize = 8;

/// Room for contact points. It can be divided, so that several threads fill it.
#[derive(Debug)]
pub struct TouchSlots<'a> {
    /// The next row.
    row: u32,
    blocks: &'a mut [Block],
    bias: &'a mut [f64],
    placed: &'a mut [Placed],
    /// Whether there are so many that they lie in memory.
    is_far: bool,
}

impl TouchSlots<'_> {
    /// Divides it into the first touches, which have so many rows together, and the others.
    ///
    /// # Panics
    /// If there are fewer.
    #[must_use]
    pub fn split_at(self, touches: usize, rows: usize) -> (Self, Self) {
        let (blocks, later_blocks) = self.blocks.split_at_mut(touches);
        let (bias, later_bias) = self.bias.split_at_mut(rows);
        let (placed, later_placed) = self.placed.split_at_mut(touches);
        let first = Self {
            row: self.row,
            blocks,
            bias,
            placed,
            is_far: self.is_far,
        };
        let second = Self {
            row: self.row + rows as u32,
            blocks: later_blocks,
            bias: later_bias,
            placed: later_placed,
            is_far: self.is_far,
        };
        (first, second)
    }

    /// Asks for the room of contact points that come soon.
    #[inline(always)]
    fn ask_for_room(&self) {
        if let Some(later) = self.placed.get(AHEAD) {
            fetch(later);
        }
        if let Some(later) = self.blocks.get(AHEAD) {
            fetch(later);
        }
        if let Some(later) = self.bias.get(3 * AHEAD) {
            fetch(later);
        }
    }

    /// Fills in the next contact point between two bodies: one row along the normal, or three.
    ///
    /// # Panics
    /// If there is no room left.
    #[inline]
    pub fn push<const ROWS: usize>(&mut self, pair: [u32; 2], cone: Cone, touch: &Touch, bias: [f64; ROWS]) {
        const { assert!(ROWS == 1 || ROWS == 3, "a normal, or a normal and two tangents") };
        let (first, rows) = (self.row, ROWS as u32);
        if self.is_far {
            self.ask_for_room();
        }
        let slot = self
            .blocks
            .split_off_first_mut()
            .expect("room for as many as were asked for");
        *slot = Block { first, len: rows, cone };
        let slot = self.placed.split_off_first_mut().expect("as many as blocks");
        *slot = Placed {
            touch: *touch,
            pair,
            first,
            rows,
        };
        let slot = self
            .bias
            .split_off_mut(..ROWS)
            .expect("room for as many rows as were asked for");
        slot.copy_from_slice(&bias);
        self.row += rows;
    }
}
