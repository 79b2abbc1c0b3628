//! A list that is nearly always of one item or none, and keeps that one in place.
//!
//! Two balls touch at one point, and most pairs of balls that are near each other at none. A `Vec` for each would be a
//! block of memory of its own, four items large and anywhere; here the item lies on the edge itself, so that a pass over
//! the edges reads memory in order. Longer lists move to the heap, to exactly the room they need, and stay there.

use std::ops::{Deref, DerefMut};

/// None, one, or many.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) enum Few<T> {
    #[default]
    None,
    One(T),
    /// Any number, also one or none again: what was more once will be more again.
    Many(Vec<T>),
}

impl<T: Copy> Few<T> {
    /// Forgets all items, but not the memory of many.
    pub(crate) fn clear(&mut self) {
        match self {
            Self::Many(items) => items.clear(),
            _ => *self = Self::None,
        }
    }

    /// Makes these the items. Allocates only if there were never so many.
    #[inline]
    pub(crate) fn assign(&mut self, new: &[T]) {
        match (&mut *self, new) {
            (Self::Many(items), _) => {
                items.clear();
                items.reserve_exact(new.len());
                items.extend_from_slice(new);
            }
            (_, []) => *self = Self::None,
            (_, [one]) => *self = Self::One(*one),
            (_, many) => *self = Self::Many(many.to_vec()),
        }
    }
}

impl<T> Deref for Few<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match self {
            Self::None => &[],
            Self::One(one) => std::slice::from_ref(one),
            Self::Many(items) => items,
        }
    }
}

impl<T> DerefMut for Few<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        match self {
            Self::None => &mut [],
            Self::One(one) => std::slice::from_mut(one),
            Self::Many(items) => items,
        }
    }
}

impl<'a, T> IntoIterator for &'a Few<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, T> IntoIterator for &'a mut Few<T> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_what_was_assigned_last_whatever_it_was_before() {
        let lists: [&[u8]; 5] = [&[], &[1], &[2, 3], &[4], &[5, 6, 7]];
        for before in lists {
            for (after, now) in lists.into_iter().flat_map(|after| lists.map(|now| (after, now))) {
                let mut few = Few::None;
                for list in [before, after, now] {
                    few.assign(list);
                    assert_eq!(&*few, list);
                }
                few.iter_mut().for_each(|item| *item += 1);
                assert!(few.iter().zip(now).all(|(item, old)| *item == old + 1));
                few.clear();
                assert!(few.is_empty());
            }
        }
    }

    /// One needs no memory of its own, many exactly theirs, and keep it.
    #[test]
    fn memory_is_exact_and_kept() {
        let mut few = Few::None;
        few.assign(&[1]);
        assert_eq!(few, Few::One(1));
        few.assign(&[1, 2, 3]);
        let place = few.as_ptr();
        for shorter in [&[1, 2][..], &[], &[5], &[1, 2, 3]] {
            few.assign(shorter);
            assert!(matches!(&few, Few::Many(items) if items.capacity() == 3 && items.as_ptr() == place));
        }
    }
}
