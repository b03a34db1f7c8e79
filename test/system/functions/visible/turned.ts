import fc from 'fast-check';
import { declared, one, styles, turning } from './draft.ts';

export const turned = turning(
  styles(
    fc.oneof(
      declared(
        'transform',
        ...[
          'translate(-9999px)',
          'translateY(-200px)',
          'translate(30px, 20px)',
          'scale(0)',
          'scale(0.5)',
          'scale(0.01)',
          'scale(2)',
        ],
        ...[
          'scaleX(0)',
          'scaleY(0)',
          'scaleY(0.02)',
          'scaleX(-1)',
          'rotate(15deg)',
          'rotate(90deg)',
          'rotate(180deg)',
          'rotateX(90deg)',
        ],
        ...[
          'rotateY(90deg)',
          'rotateY(180deg)',
          'rotateX(180deg)',
          'rotateX(45deg)',
          'rotateY(360deg)',
          'skewX(30deg)',
        ],
        ...[
          'translateZ(100px)',
          'translateZ(-300px)',
          'translateZ(600px)',
          'perspective(300px) rotateY(50deg)',
          'perspective(300px) translateZ(400px)',
        ],
        ...[
          'matrix(1, 0, 0, 1, 20, 10)',
          'matrix(0.5, 0, 0, 0.5, 0, 0)',
          'matrix3d(1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1)',
          'rotate3d(1, 1, 0, 180deg)',
        ],
      ),
      declared('translate', '-9999px', '0 -300px', '20px 10px', '0 0 600px'),
      declared('rotate', '90deg', 'y 180deg', 'x 90deg', '1 1 0 180deg', '180deg'),
      declared('scale', '0', '0.5', '1 0', '-1 1', '0.01'),
    ),
    one('', '', 'transform-origin:0 0', 'transform-origin:100% 100%', 'transform-origin:50% 50% 50px'),
    one('', 'width:fit-content', 'height:20px;width:70px', 'backface-visibility:hidden'),
    one('', '', 'transform-style:preserve-3d', 'overflow:hidden'),
  ),
);

export const deep = turning(
  styles(
    one('', 'perspective:300px', 'perspective:500px;perspective-origin:0 0', 'perspective:900px'),
    one('', 'transform-style:preserve-3d', 'transform-style:preserve-3d'),
    one('', 'transform:rotateY(180deg)', 'transform:rotateX(30deg)', 'rotate:y 180deg', 'transform:rotateY(120deg)'),
    one(
      '',
      'opacity:0.6',
      'overflow:hidden',
      'filter:opacity(0.6)',
      'isolation:isolate',
      'contain:paint',
      'will-change:transform',
    ),
    one('', 'backface-visibility:hidden', 'backface-visibility:hidden'),
    one('', 'width:80px;height:40px'),
  ),
);
