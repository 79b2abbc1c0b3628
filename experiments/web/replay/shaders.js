// The shaders. Poses of all bodies are in two textures, of a frame and of the next, and every vertex shader looks its body up and
// goes between them by `uFraction`: a frame costs two texture uploads, however many bodies, parts and passes there are.

const POSE_SOURCE = `#version 300 es
precision highp float;
precision highp int;
uniform highp sampler2D uPoses;
uniform highp sampler2D uNextPoses;
uniform float uFraction;

vec3 turned(vec4 q, vec3 v) {
  vec3 once = 2.0 * cross(q.xyz, v);
  return v + q.w * once + cross(q.xyz, once);
}

void bodyPose(int body, out vec3 position, out vec4 orientation) {
  int width = textureSize(uPoses, 0).x;
  ivec2 at = ivec2((2 * body) % width, (2 * body) / width);
  ivec2 beside = at + ivec2(1, 0);
  position = mix(texelFetch(uPoses, at, 0).xyz, texelFetch(uNextPoses, at, 0).xyz, uFraction);
  vec4 now = texelFetch(uPoses, beside, 0);
  vec4 next = texelFetch(uNextPoses, beside, 0);
  orientation = normalize(mix(now, dot(now, next) < 0.0 ? -next : next, uFraction));
}
`;

const BODY_VERTEX = `${POSE_SOURCE}
in vec3 aPosition;
in vec3 aNormal;
in float iBody;
in vec3 iPosition;
in vec4 iOrientation;
in vec3 iScale;
uniform mat4 uView;
uniform float uInflate;
uniform int uOnly;
uniform sampler2D uColours;
out vec3 vWorld;
out vec3 vNormal;
out vec3 vUnit;
flat out vec3 vScale;
flat out vec4 vColour;
flat out int vBody;

void main() {
  int body = int(iBody);
  vec3 position;
  vec4 orientation;
  bodyPose(body, position, orientation);
  // The normal of a stretched shape is that of the unit shape, stretched the other way.
  vec3 local = turned(iOrientation, normalize(aNormal / iScale));
  vNormal = turned(orientation, local);
  vec3 corner = turned(iOrientation, aPosition * iScale) + iPosition;
  vWorld = position + turned(orientation, corner) + uInflate * turned(orientation, normalize(turned(iOrientation, aPosition * iScale)));
  vUnit = aPosition;
  vScale = iScale;
  vColour = texelFetch(uColours, ivec2(body % 1024, body / 1024), 0);
  vBody = body;
  gl_Position = uView * vec4(vWorld, 1.0);
  bool hidden = vColour.a == 0.0 || (uOnly >= 0 && uOnly != body);
  if (hidden) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}`;

const BODY_FRAGMENT = `#version 300 es
precision highp float;
precision highp int;
in vec3 vWorld;
in vec3 vNormal;
in vec3 vUnit;
flat in vec3 vScale;
flat in vec4 vColour;
flat in int vBody;
uniform int uShape;
uniform vec3 uLight;
uniform vec3 uEye;
uniform mat4 uLightView;
uniform highp sampler2DShadow uShadow;
uniform float uShadowTexel;
uniform float uAlpha;
uniform int uSelected;
uniform vec3 uHighlight;
uniform vec3 uGround;
uniform vec3 uGridColour;
uniform float uGrid;
uniform vec3 uCentre;
uniform float uReach;
out vec4 colour;

float lit(vec3 normal) {
  vec4 place = uLightView * vec4(vWorld + normal * uShadowTexel * 1.5, 1.0);
  vec3 at = place.xyz * 0.5 + 0.5;
  if (any(lessThan(at, vec3(0.0))) || any(greaterThan(at, vec3(1.0)))) return 1.0;
  vec2 texel = 1.0 / vec2(textureSize(uShadow, 0));
  float sum = 0.0;
  for (int x = -1; x <= 1; x++) {
    for (int y = -1; y <= 1; y++) sum += texture(uShadow, vec3(at.xy + vec2(x, y) * texel, at.z - 0.0006));
  }
  return sum / 9.0;
}

void main() {
  vec3 normal = normalize(vNormal);
  vec3 toEye = normalize(uEye - vWorld);
  vec3 base = pow(vColour.rgb, vec3(2.2));
  float alpha = uAlpha;
  float line = 0.0;
  if (uShape == 0) {
    // Two tones, so that one sees a ball roll.
    vec3 side = vUnit / max(fwidth(vUnit), vec3(1e-6));
    float tone = clamp(side.x, -1.0, 1.0) * clamp(side.y, -1.0, 1.0) * clamp(side.z, -1.0, 1.0);
    base *= 0.89 + 0.11 * tone;
  } else if (uShape == 1) {
    // How far it is to each of the cube's faces: on a face one is zero, on an edge two.
    vec3 gap = (1.0 - abs(vUnit)) * vScale;
    vec3 width = max(fwidth(gap), vec3(1e-7));
    vec3 near = 1.0 - smoothstep(vec3(0.6), vec3(1.6), gap / width);
    float two = near.x * near.y + near.y * near.z + near.z * near.x;
    line = clamp(two, 0.0, 1.0) * 0.55;
  } else {
    float away = length(vWorld - uCentre) / uReach;
    alpha *= 1.0 - smoothstep(0.45, 1.0, away);
    base = pow(uGround, vec3(2.2));
    if (uGrid > 0.0) {
      vec2 cell = vUnit.xy * vScale.xy / uGrid;
      vec2 width = fwidth(cell);
      vec2 strength = (1.0 - smoothstep(vec2(0.1), vec2(1.0), abs(fract(cell - 0.5) - 0.5) / width)) * (1.0 - smoothstep(0.2, 0.6, width));
      base = mix(base, pow(uGridColour, vec3(2.2)), 0.7 * max(strength.x, strength.y));
    }
    if (dot(normal, toEye) < 0.0) alpha *= 0.25;
  }
  if (vBody == uSelected && uShape != 2) base = mix(base, pow(uHighlight, vec3(2.2)), 0.8);
  base *= 1.0 - line;
  if (uShape != 2 && dot(normal, toEye) < 0.0) normal = -normal;
  float facing = max(dot(normal, uLight), 0.0);
  float shade = facing > 0.0 ? lit(normal) : 0.0;
  vec3 sky = mix(vec3(0.30, 0.29, 0.29), vec3(0.56, 0.58, 0.62), 0.5 + 0.5 * normal.z);
  vec3 light = sky + vec3(0.66, 0.64, 0.60) * facing * shade;
  vec3 shown = base * light;
  if (uShape != 2) {
    float gloss = pow(max(dot(normal, normalize(uLight + toEye)), 0.0), 40.0) * shade;
    shown += 0.10 * gloss;
    // A thin darker rim sets bodies of one colour off against each other.
    shown *= 1.0 - 0.28 * pow(1.0 - max(dot(normal, toEye), 0.0), 3.0);
  }
  if (uAlpha < 1.0 && uShape != 2) alpha = min(1.0, alpha + 0.6 * line + 0.25 * pow(1.0 - abs(dot(normal, toEye)), 3.0));
  colour = vec4(pow(shown, vec3(1.0 / 2.2)), 1.0) * alpha;
  colour.a = alpha;
}`;

const DEPTH_FRAGMENT = `#version 300 es
precision highp float;
void main() {}`;

const IDENTITY_FRAGMENT = `#version 300 es
precision highp float;
precision highp int;
flat in int vBody;
out vec4 colour;
void main() {
  int code = vBody + 1;
  colour = vec4(float(code & 255), float((code >> 8) & 255), float((code >> 16) & 255), 255.0) / 255.0;
}`;

const FLAT_FRAGMENT = `#version 300 es
precision highp float;
uniform vec4 uColour;
out vec4 colour;
void main() {
  colour = vec4(uColour.rgb * uColour.a, uColour.a);
}`;

// A point or an end of a line that is fixed in a body.
const ANCHOR_VERTEX = `${POSE_SOURCE}
in float iBody;
in vec3 iPosition;
uniform mat4 uView;
uniform float uPointSize;
void main() {
  vec3 position;
  vec4 orientation;
  bodyPose(int(iBody), position, orientation);
  gl_Position = uView * vec4(position + turned(orientation, iPosition), 1.0);
  gl_PointSize = uPointSize;
}`;

const POINT_VERTEX = `#version 300 es
precision highp float;
in vec3 iPosition;
uniform mat4 uView;
uniform float uPointSize;
void main() {
  gl_Position = uView * vec4(iPosition, 1.0);
  gl_PointSize = uPointSize;
}`;

const DISC_FRAGMENT = `#version 300 es
precision highp float;
uniform vec4 uColour;
uniform vec3 uRim;
out vec4 colour;
void main() {
  float radius = length(gl_PointCoord * 2.0 - 1.0);
  if (radius > 1.0) discard;
  vec3 shown = radius > 0.68 ? uRim : uColour.rgb;
  colour = vec4(shown * uColour.a, uColour.a);
}`;

const ARROW_VERTEX = `#version 300 es
precision highp float;
in vec3 aPosition;
in vec3 aNormal;
in vec3 iPosition;
in vec3 iVector;
uniform mat4 uView;
uniform float uLength;
uniform float uThickness;
uniform bool uUnit;
out float vShade;
void main() {
  float size = length(iVector);
  vec3 along = size > 0.0 ? iVector / size : vec3(0.0, 0.0, 1.0);
  float whole = uLength * (uUnit ? 1.0 : size);
  float thickness = min(uThickness, whole * 0.12);
  float head = min(5.0 * thickness, whole);
  vec3 across = normalize(abs(along.z) < 0.9 ? cross(along, vec3(0.0, 0.0, 1.0)) : cross(along, vec3(1.0, 0.0, 0.0)));
  vec3 third = cross(along, across);
  float reach = aPosition.z <= 1.0 ? aPosition.z * (whole - head) : whole - head + (aPosition.z - 1.0) * head;
  vec3 place = iPosition + thickness * (aPosition.x * across + aPosition.y * third) + reach * along;
  vec3 normal = normalize(aNormal.x * across + aNormal.y * third + aNormal.z * along);
  vShade = 0.78 + 0.22 * normal.z;
  gl_Position = uView * vec4(place, 1.0);
}`;

const ARROW_FRAGMENT = `#version 300 es
precision highp float;
in float vShade;
uniform vec4 uColour;
out vec4 colour;
void main() {
  colour = vec4(uColour.rgb * vShade * uColour.a, uColour.a);
}`;

// All programs have their attributes at the same places, so that one set of buffers serves several.
export const ATTRIBUTES = { aPosition: 0, aNormal: 1, iBody: 2, iPosition: 3, iOrientation: 4, iScale: 5, iVector: 6 };

function compileShader(gl, kind, source) {
  const shader = gl.createShader(kind);
  gl.shaderSource(shader, source);
  gl.compileShader(shader);
  if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost()) throw new Error(gl.getShaderInfoLog(shader));
  return shader;
}

function linkProgram(gl, vertex, fragment) {
  const program = gl.createProgram();
  gl.attachShader(program, compileShader(gl, gl.VERTEX_SHADER, vertex));
  gl.attachShader(program, compileShader(gl, gl.FRAGMENT_SHADER, fragment));
  for (const [name, place] of Object.entries(ATTRIBUTES)) gl.bindAttribLocation(program, place, name);
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) throw new Error(gl.getProgramInfoLog(program));
  const uniforms = {};
  const count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS) || 0;
  for (let k = 0; k < count; k++) {
    const { name } = gl.getActiveUniform(program, k);
    uniforms[name] = gl.getUniformLocation(program, name);
  }
  return { program, uniforms };
}

export function buildPrograms(gl) {
  return {
    body: linkProgram(gl, BODY_VERTEX, BODY_FRAGMENT),
    depth: linkProgram(gl, BODY_VERTEX, DEPTH_FRAGMENT),
    identity: linkProgram(gl, BODY_VERTEX, IDENTITY_FRAGMENT),
    outline: linkProgram(gl, BODY_VERTEX, FLAT_FRAGMENT),
    anchorLine: linkProgram(gl, ANCHOR_VERTEX, FLAT_FRAGMENT),
    anchorPoint: linkProgram(gl, ANCHOR_VERTEX, DISC_FRAGMENT),
    point: linkProgram(gl, POINT_VERTEX, DISC_FRAGMENT),
    arrow: linkProgram(gl, ARROW_VERTEX, ARROW_FRAGMENT),
  };
}
