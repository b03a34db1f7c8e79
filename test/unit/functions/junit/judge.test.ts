import { describe, expect, it } from 'vitest';
import { judgeNamed } from '../../../../src/functions/junit/judge.ts';
import { readReports } from '../../../../src/functions/junit/results.ts';

const read = (xml: string) => readReports([{ name: 'r.xml', bytes: Buffer.from(xml) }]);
const pytest = read(`<testsuite name="pytest">
  <testcase classname="tests.test_shop.TestCart" name="test_add"/>
  <testcase classname="tests.test_shop" name="test_total[utf-8]"/>
  <testcase classname="tests.test_shop" name="test_total[a::b/c.py]"/>
  <testcase classname="tests.test_shop" name="test_total[latin-1]"><failure message="assert 1 == 2"/></testcase>
  <testcase classname="tests.test_shop" name="test_later"><skipped/></testcase>
  <testcase classname="tests.test_shop" name="test_same"/>
  <testcase classname="tests.test_other" name="test_same"><failure/></testcase></testsuite>`);

describe('named tests', () => {
  it.each([
    ['test_total[utf-8]'],
    ['tests/test_shop.py::test_total[utf-8]'],
    ['./tests/test_shop.py::test_total[a::b/c.py]'],
    ['tests.test_shop.test_total[utf-8]'],
    ['tests.test_shop › test_total[utf-8]'],
    ['tests/test_shop.py::TestCart::test_add'],
    ['tests.test_shop::test_same'],
  ])('pass by the name or the id of pytest: %s', (name) => {
    expect(judgeNamed(pytest, [name])).toEqual({
      value: 1,
      reason: '1 of 1 named tests pass',
      parts: [{ name, value: 1, reason: 'passes' }],
    });
  });

  it.each([
    [
      'vitest',
      '<testsuite name="src/a.test.ts"><testcase classname="src/a.test.ts" name="cart &gt; adds 1.5"/></testsuite>',
      ['cart > adds 1.5', 'src/a.test.ts > cart > adds 1.5'],
    ],
    [
      'Node.js',
      '<testsuites><testsuite name="shop"><testsuite name="cart"><testcase classname="test" name="adds"/></testsuite></testsuite></testsuites>',
      ['adds', 'cart > adds', 'shop > cart > adds'],
    ],
    [
      'Go',
      '<testsuite name="example.com/shop"><testcase classname="example.com/shop" name="TestCart/adds_one"/></testsuite>',
      ['TestCart/adds_one', 'example.com/shop.TestCart/adds_one'],
    ],
    [
      'nextest',
      '<testsuite name="shop::bin"><testcase classname="shop::bin" name="cart::adds"/></testsuite>',
      ['cart::adds', 'shop::bin cart::adds'],
    ],
    [
      'Maven',
      '<testsuite name="com.x.CartTest"><testcase classname="com.x.CartTest" name="adds"/></testsuite>',
      ['adds', 'com.x.CartTest#adds', 'com.x.CartTest.adds'],
    ],
    [
      'Gradle',
      '<testsuite name="com.x.CartTest"><testcase classname="com.x.CartTest" name="adds()"/></testsuite>',
      ['adds()', 'com.x.CartTest.adds', 'com.x.CartTest#adds()'],
    ],
  ])('pass by the names of %s', (_, xml, names) => {
    expect(judgeNamed(read(xml), names)).toMatchObject({ value: 1 });
  });

  it.each([
    ['that fails', 'test_total[latin-1]', 'assert 1 == 2'],
    ['that was skipped', 'tests/test_shop.py::test_later', 'was skipped'],
    [
      'that did not run',
      'tests/test_shop.py::test_total[utf-16]',
      'did not run, similar: “tests.test_shop › test_total[utf-8]”',
    ],
    ['with other parameters', 'test_total', expect.stringMatching(/^did not run/)],
    ['of which one of two fails', 'test_same', 'fails'],
  ])('are worth 0 with one %s', (_, name, why) => {
    const { value, reason, parts } = judgeNamed(pytest, ['test_add', name]);
    expect([value, parts[0]?.name]).toEqual([0, name]);
    const [, hint] = reason.split(`1 of 2 named tests pass; “${name}”: `);
    expect(hint).toEqual(why);
  });
});
