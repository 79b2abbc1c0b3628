// What is drawn over the bodies: contact points, normals and impulses as arrows, and joints.

import { arrowMesh } from './shapes.js';
import { ATTRIBUTES } from './shaders.js';
import { contactFrame } from './chunk.js';

export class GlyphRenderer {
  constructor(renderer) {
    this.renderer = renderer;
    const { gl } = renderer;
    const mesh = arrowMesh();
    this.arrowArray = gl.createVertexArray();
    gl.bindVertexArray(this.arrowArray);
    for (const [place, values] of [[ATTRIBUTES.aPosition, mesh.positions], [ATTRIBUTES.aNormal, mesh.normals]]) {
      gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, 3, gl.FLOAT, false, 0, 0);
    }
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, mesh.indices, gl.STATIC_DRAW);
    this.arrowIndices = mesh.indices.length;
    this.buffers = { points: gl.createBuffer(), normals: gl.createBuffer(), impulses: gl.createBuffer() };
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers.points);
    this.pointAt(ATTRIBUTES.iPosition, 3, 1);
    gl.enableVertexAttribArray(ATTRIBUTES.iVector);
    gl.vertexAttribDivisor(ATTRIBUTES.iVector, 1);
    this.pointArray = gl.createVertexArray();
    gl.bindVertexArray(this.pointArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers.points);
    this.pointAt(ATTRIBUTES.iPosition, 3, 0);
    this.jointArray = gl.createVertexArray();
    gl.bindVertexArray(this.jointArray);
    this.jointBuffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, this.jointBuffer);
    gl.enableVertexAttribArray(ATTRIBUTES.iBody);
    gl.vertexAttribPointer(ATTRIBUTES.iBody, 1, gl.FLOAT, false, 16, 0);
    gl.enableVertexAttribArray(ATTRIBUTES.iPosition);
    gl.vertexAttribPointer(ATTRIBUTES.iPosition, 3, gl.FLOAT, false, 16, 4);
    gl.bindVertexArray(null);
    this.contactCount = 0;
    this.jointVertices = 0;
    this.jointPoints = 0;
    this.positions = new Float32Array(0);
  }

  pointAt(place, size, divisor) {
    const { gl } = this.renderer;
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, size, gl.FLOAT, false, 0, 0);
    gl.vertexAttribDivisor(place, divisor);
  }

  // Takes over the contacts of a frame, or of the last one before it that has them.
  setContacts(chunk, frame) {
    const { gl } = this.renderer;
    const { contacts } = chunk;
    const stored = contactFrame(chunk, frame);
    const local = stored - chunk.first;
    const first = contacts.starts[local];
    const count = contacts.counts[local];
    if (this.positions.length < 3 * count) this.positions = new Float32Array(Math.ceil(4.5 * count));
    for (let k = 0; k < count; k++) {
      const body = local * chunk.stride + 8 * contacts.b[first + k];
      for (let axis = 0; axis < 3; axis++) this.positions[3 * k + axis] = chunk.poses[body + axis] + contacts.offsets[3 * (first + k) + axis];
    }
    const fill = (buffer, values, start) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, values, gl.STREAM_DRAW, start, 3 * count);
    };
    if (count > 0) {
      fill(this.buffers.points, this.positions, 0);
      fill(this.buffers.normals, contacts.normals, 3 * first);
      fill(this.buffers.impulses, contacts.impulses, 3 * first);
    }
    this.contactCount = count;
    return stored;
  }

  // Lines from body to anchor to anchor to body, and a point at each anchor, for the joints that hold.
  setJoints(population, chunk, frame) {
    const { gl } = this.renderer;
    const [lines, points] = [[], []];
    population.joints.forEach(({ bodies: [a, b], anchors: [atA, atB] }, joint) => {
      if (chunk.jointsOff[(frame - chunk.first) * chunk.joints + joint]) return;
      // A body without bounds has no middle to draw a line from.
      const solid = (body) => population.shapes[population.solids[population.bodies.solids[body]].shape].type !== 'half-space';
      if (solid(a)) lines.push(a, 0, 0, 0, a, ...atA);
      lines.push(a, ...atA, b, ...atB);
      if (solid(b)) lines.push(b, ...atB, b, 0, 0, 0);
      points.push(a, ...atA, b, ...atB);
    });
    gl.bindBuffer(gl.ARRAY_BUFFER, this.jointBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([...lines, ...points]), gl.DYNAMIC_DRAW);
    this.jointVertices = lines.length / 4;
    this.jointPoints = points.length / 4;
  }

  draw(view, options, sizes) {
    const { renderer } = this;
    const { gl, theme, programs } = renderer;
    if (options.through) gl.disable(gl.DEPTH_TEST);
    if (options.joints && this.jointVertices > 0) {
      gl.bindVertexArray(this.jointArray);
      const lines = renderer.use(programs.anchorLine);
      gl.uniformMatrix4fv(lines.uView, false, view);
      gl.uniform4fv(lines.uColour, [...theme.joint, 1]);
      gl.drawArrays(gl.LINES, 0, this.jointVertices);
      this.drawPoints(programs.anchorPoint, view, theme.joint, 8 * sizes.pixelRatio, this.jointVertices, this.jointPoints);
    }
    if (this.contactCount > 0) {
      if (options.normals) this.drawArrows(view, this.buffers.normals, theme.normal, sizes.normal, sizes, true);
      if (options.impulses) this.drawArrows(view, this.buffers.impulses, theme.impulse, sizes.impulse, sizes, false);
      if (options.points) {
        gl.bindVertexArray(this.pointArray);
        this.drawPoints(programs.point, view, theme.contact, sizes.point, 0, this.contactCount);
      }
    }
    gl.bindVertexArray(null);
    gl.enable(gl.DEPTH_TEST);
  }

  drawPoints(program, view, colour, size, first, count) {
    const { gl, theme } = this.renderer;
    const uniforms = this.renderer.use(program);
    gl.uniformMatrix4fv(uniforms.uView, false, view);
    gl.uniform4fv(uniforms.uColour, [...colour, 1]);
    gl.uniform3fv(uniforms.uRim, theme.background);
    gl.uniform1f(uniforms.uPointSize, size);
    gl.drawArrays(gl.POINTS, first, count);
  }

  drawArrows(view, buffer, colour, length, sizes, unit) {
    const { gl } = this.renderer;
    const uniforms = this.renderer.use(this.renderer.programs.arrow);
    gl.bindVertexArray(this.arrowArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.vertexAttribPointer(ATTRIBUTES.iVector, 3, gl.FLOAT, false, 0, 0);
    gl.uniformMatrix4fv(uniforms.uView, false, view);
    gl.uniform4fv(uniforms.uColour, [...colour, 1]);
    gl.uniform1f(uniforms.uLength, length);
    gl.uniform1f(uniforms.uThickness, sizes.thickness);
    gl.uniform1i(uniforms.uUnit, unit ? 1 : 0);
    gl.drawElementsInstanced(gl.TRIANGLES, this.arrowIndices, gl.UNSIGNED_SHORT, 0, this.contactCount);
  }
}
