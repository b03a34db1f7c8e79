import type { Point, Screen } from './action.ts';
import type { NormalAction, Target } from './normal.ts';

/**
 * Rescales the coordinates of an action for a screenshot of another size: multiplies every point and distance by `x`
 * and `y`. Elements named by id or selector are unaffected.
 */
export function rescale(action: NormalAction, { x, y }: Point): NormalAction {
  const scale = (at: Point): Point => ({ x: at.x * x, y: at.y * y });
  return mapPoints(action, scale, scale);
}

/**
 * Rescales an action of an agent that works at the resolution `screen` to screenshots of the size `picture`. Points and
 * scroll distances are truncated to whole pixels; the offset of a move is unchanged (HUD 0.2.10's `Adapter`).
 */
export function fitScreen(action: NormalAction, screen: Screen, picture: Screen): NormalAction {
  return mapPoints(action, screenFitter(screen, picture), (offset) => offset);
}

/** Converts a point of `screen`, or a distance, to whole pixels of `picture`. */
export function screenFitter(screen: Screen, picture: Screen): (at: Point) => Point {
  const x = picture.width / screen.width;
  const y = picture.height / screen.height;
  // Adding 0 turns -0 into 0.
  return (at) => ({ x: Math.trunc(at.x * x) + 0, y: Math.trunc(at.y * y) + 0 });
}

function mapPoints(action: NormalAction, point: (at: Point) => Point, offset: (by: Point) => Point): NormalAction {
  const target = (at: Target): Target => ('point' in at ? { point: point(at.point) } : at);
  switch (action.type) {
    case 'click':
      return { ...action, target: action.target && target(action.target) };
    case 'move':
      return {
        ...action,
        target: action.target && target(action.target),
        offset: action.offset && offset(action.offset),
      };
    case 'mouse':
      return { ...action, point: point(action.point) };
    case 'scroll':
      return { ...action, ...point(action), target: action.target && target(action.target) };
    case 'drag':
      return { ...action, path: action.path.map(target) };
    case 'upload':
      return { ...action, target: target(action.target) };
    default:
      return action;
  }
}
