import { describe, expect, it, test } from 'vitest';
import { AgentFault } from '../../../../src/functions/agent-fault.ts';
import { judgeAll } from '../../../../src/functions/junit/judge.ts';
import { readReports } from '../../../../src/functions/junit/results.ts';

const read = (...files: readonly (string | Uint8Array)[]) =>
  readReports(
    files.map((file, index) => ({
      name: `r${index}.xml`,
      bytes: typeof file === 'string' ? Buffer.from(file) : file,
    })),
  );
/** `[passed, total]` */
const countsOf = (...files: readonly (string | Uint8Array)[]) => {
  const counted = read(...files).filter(({ outcome }) => outcome !== 'skipped');
  return [counted.filter(({ outcome }) => outcome === 'passed').length, counted.length];
};
const errorOf = (file: string | Uint8Array): unknown => {
  try {
    return read(file);
  } catch (error) {
    return error;
  }
};
const passing = (count: number) =>
  Array.from({ length: count }, (_, index) => `<testcase classname="t" name="p${index}"/>`).join('');

describe('a JUnit report', () => {
  test('of pytest has one suite, and classes with their modules', () => {
    const report =
      read(`<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite name="pytest" errors="0" failures="1" skipped="1" tests="3" time="0.05">
      <testcase classname="tests.test_a" name="test_one" time="0.001" />
      <testcase classname="tests.test_a" name="test_two[&lt;x&gt;]" time="0.001"><failure message="assert 1 == 2&#10; +  where 1">def test_two(): ...</failure></testcase>
      <testcase classname="tests.test_a" name="test_three"><skipped type="pytest.skip" message="later">x</skipped></testcase>
    </testsuite></testsuites>`);
    expect(judgeAll(report)).toEqual({
      value: 0.5,
      reason: '1 of 2 tests pass, 1 skipped',
      parts: [
        { name: 'tests.test_a › test_two[<x>]', value: 0, reason: 'assert 1 == 2\n +  where 1' },
        { name: 'tests.test_a › test_one', value: 1, reason: 'passes' },
      ],
    });
  });

  test('of Node has tests next to nested suites, and an error counts as a failure', () => {
    const xml = `<testsuites><testcase name="top" classname="test"/>
      <testsuite name="outer"><testsuite name="inner"><testcase name="deep"><error/></testcase></testsuite></testsuite></testsuites>`;
    expect(read(xml)).toMatchObject([
      { name: 'top', suites: [], outcome: 'passed' },
      { name: 'deep', suites: ['outer', 'inner'], outcome: 'failed', message: 'fails' },
    ]);
  });

  test('has one suite, or none', () => {
    expect(countsOf('<testsuite><testcase name="a"/></testsuite>')).toEqual([1, 1]);
    expect(judgeAll(read('<testsuites/>'))).toEqual({ value: 0, reason: 'the report has no tests', parts: [] });
  });

  test('with thousands of tests lists those that fail', () => {
    const { value, parts } = judgeAll(
      read(`<testsuite>${passing(2_999)}<testcase name="last"><failure>no</failure></testcase></testsuite>`),
    );
    expect([value, parts.length]).toEqual([2_999 / 3_000, 200]);
    expect(parts[0]).toEqual({ name: 'last', value: 0, reason: 'no' });
  });

  test('with 300,000 tests is read', () => {
    expect(countsOf(`<testsuite>${'<testcase name="t"/>'.repeat(300_000)}</testsuite>`)).toEqual([300_000, 300_000]);
  });

  test('keeps the order of nested suites', () => {
    const suite = (name: string) => `<testsuite><testcase name="${name}"><failure/></testcase></testsuite>`;
    const tests = read(
      `<testsuites>${suite('a')}<testsuite>${suite('b')}${suite('c')}</testsuite>${suite('d')}</testsuites>`,
    );
    expect(tests.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd']);
  });

  test('with entities that expand a million times stays small', () => {
    const bomb = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;"><!ENTITY e "&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;">]><testsuite><testcase name="a"><failure>${'&e;'.repeat(1_000)}</failure></testcase></testsuite>`;
    const outcome = errorOf(bomb);
    if (outcome instanceof Error) expect(outcome.message).toMatch(/entit/i);
    else expect(JSON.stringify(outcome).length).toBeLessThan(10_000);
  });
});

describe('a test that its runner reports several times is one test, and its last result counts:', () => {
  const go = '<properties><property name="go.version" value="go1.24 linux/amd64"/></properties>';

  it.each<[string, string, readonly [number, number]]>([
    [
      'pytest: failed in the call and in the teardown',
      `<testsuites name="pytest tests"><testsuite name="pytest" errors="1" failures="5" skipped="0" tests="12">${passing(7)}
        ${[1, 2, 3, 4].map((n) => `<testcase classname="t" name="f${n}"><failure/></testcase>`).join('')}
        <testcase classname="t" name="both"><failure message="assert 1 == 2"/></testcase>
        <testcase classname="t" name="both"><error message="failed on teardown"/></testcase></testsuite></testsuites>`,
      [7, 12],
    ],
    [
      'pytest: the same next to one that passed before its teardown failed, which its suite counts as two',
      `<testsuites name="pytest tests"><testsuite name="mine" errors="2" failures="1" skipped="0" tests="3"><testcase name="a"><error/></testcase>
        <testcase name="b"><failure/></testcase><testcase name="b"><error/></testcase></testsuite></testsuites>`,
      [0, 2],
    ],
    [
      'pytest with another suite name: the suite counts fewer tests',
      '<testsuite name="mine" tests="2"><testcase name="a"/><testcase name="b"><failure/></testcase><testcase name="b"><error/></testcase></testsuite>',
      [1, 2],
    ],
    [
      'pytest-rerunfailures: an empty testcase for each failed try',
      '<testsuite name="pytest" tests="2"><testcase name="a"/><testcase name="a"/><testcase name="a"><failure/></testcase><testcase name="b"/></testsuite>',
      [1, 2],
    ],
    [
      'pytest-rerunfailures: a teardown that always fails',
      '<testsuite name="pytest" tests="3"><testcase name="a"/><testcase name="a"><error/></testcase></testsuite>',
      [0, 1],
    ],
    [
      'pytest-rerunfailures: a teardown that fails at first',
      '<testsuite name="pytest" tests="2"><testcase name="a"/><testcase name="a"/></testsuite>',
      [1, 1],
    ],
    [
      'gotestsum --rerun-fails: passed in the rerun, or not',
      `<testsuites tests="5" failures="3" errors="0"><testsuite tests="5" failures="3" name="example.com/shop">${go}
        <testcase classname="shop" name="TestFlaky"><failure message="Failed"/></testcase>
        <testcase classname="shop" name="TestBad"><failure message="Failed"/></testcase>
        <testcase classname="shop" name="TestBad"><failure message="Failed"/></testcase>
        <testcase classname="shop" name="TestGood"/><testcase classname="shop" name="TestFlaky"/></testsuite></testsuites>`,
      [2, 3],
    ],
    [
      'Surefire and nextest: one testcase with its reruns',
      `<testsuite name="ShopTest" tests="3" errors="0" failures="1">
        <testcase name="flaky" classname="ShopTest"><flakyFailure message="late"><stackTrace>x</stackTrace></flakyFailure></testcase>
        <testcase name="bad" classname="ShopTest"><failure message="no"/><rerunFailure message="no"/><rerunError/></testcase>
        <testcase name="good" classname="ShopTest"/></testsuite>`,
      [2, 3],
    ],
    [
      'Vitest: one testcase with a failure for each try',
      '<testsuite name="a.test.ts" tests="2" failures="1" errors="0"><testcase name="a"><failure message="1"/><failure message="2"/></testcase><testcase name="b"/></testsuite>',
      [1, 2],
    ],
  ])('%s', (_, xml, counts) => {
    expect(countsOf(xml)).toEqual(counts);
  });

  it('with the messages of all its failures', () => {
    expect(
      read(
        '<testsuite name="pytest"><testcase name="a"><failure message="assert 0"/></testcase><testcase name="a"><error message="teardown"/></testcase></testsuite>',
      ),
    ).toMatchObject([{ message: 'assert 0; teardown' }]);
  });

  it.each([
    [
      'of one suite of another runner',
      '<testsuite name="a.test.ts" tests="2"><testcase classname="a" name="works"><failure/></testcase><testcase classname="a" name="works"/></testsuite>',
    ],
    [
      'of two packages',
      `<testsuites><testsuite>${go}<testcase name="TestA"><failure/></testcase></testsuite><testsuite>${go}<testcase name="TestA"/></testsuite></testsuites>`,
    ],
    [
      'of different lines',
      '<testsuite name="pytest"><testcase name="a" line="1"/><testcase name="a" line="9"><failure/></testcase></testsuite>',
    ],
  ])('but two tests of one name %s are two', (_, xml) => {
    expect(countsOf(xml)).toEqual([1, 2]);
  });
});

describe('a suite that could not be loaded is one failed test', () => {
  it.each([
    ['by its errors', '<testsuite name="broken.test.ts" errors="2" failures="0" tests="0"/>'],
    ['by its failures', '<testsuite name="broken.test.ts" failures="1"><properties/></testsuite>'],
    ['by an element', '<testsuite name="broken.test.ts"><error message="syntax error"/></testsuite>'],
    [
      'in a suite with its errors',
      '<testsuite errors="1"><testsuite name="broken.test.ts" errors="1"></testsuite></testsuite>',
    ],
  ])('%s', (_, suite) => {
    const tests = read(
      `<testsuites errors="1"><testsuite name="good"><testcase name="a"/></testsuite>${suite}</testsuites>`,
    );
    expect(tests).toMatchObject([
      { name: 'a', outcome: 'passed' },
      { name: 'broken.test.ts', outcome: 'failed', message: expect.stringContaining('its tests did not run') },
    ]);
  });

  it('but not one whose tests were all skipped, or counted as failed', () => {
    expect(
      countsOf(
        '<testsuites><testsuite errors="0"/><testsuite errors="1"><testcase name="a"><error/></testcase></testsuite><testsuite failures="1"><testcase name="b"><skipped/></testcase></testsuite></testsuites>',
      ),
    ).toEqual([0, 1]);
  });
});

test('a test with an error is failed although it was skipped, and one that was not run is skipped', () => {
  expect(
    read(
      '<testsuite><testcase name="a"><skipped/><error message="teardown"/></testcase><testcase name="b" status="notrun"/></testsuite>',
    ),
  ).toMatchObject([
    { outcome: 'failed', message: 'teardown' },
    { outcome: 'skipped', message: '' },
  ]);
});

describe('a report is read in its encoding:', () => {
  const xml = (encoding: string) =>
    `<?xml version="1.0" encoding="${encoding}"?>\n<testsuite><testcase name="größe"/></testsuite>`;
  const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();

  it.each<[string, Uint8Array]>([
    ['UTF-8', Buffer.from(xml('UTF-8'))],
    ['UTF-8 with a byte order mark', Buffer.from(`\uFEFF${xml('utf-8')}`)],
    ['UTF-8 without a declaration', Buffer.from('<testsuite><testcase name="größe"/></testsuite>')],
    ['ISO-8859-1', Buffer.from(xml('ISO-8859-1'), 'latin1')],
    ['windows-1252', Buffer.from(xml('windows-1252'), 'latin1')],
    ['UTF-16 with a byte order mark', Buffer.from(`\uFEFF${xml('UTF-16')}`, 'utf16le')],
    ['UTF-16, big endian', utf16be(`\uFEFF${xml('utf-16')}`)],
    ['UTF-16LE without a byte order mark', Buffer.from(xml('UTF-16LE'), 'utf16le')],
    ['UTF-16BE without a byte order mark', utf16be(xml('UTF-16BE'))],
    ['UTF-8 that declares UTF-16', Buffer.from(xml('utf-16'))],
  ])('%s', (_, bytes) => {
    expect(read(bytes)).toMatchObject([{ name: 'größe', outcome: 'passed' }]);
  });

  it('and bytes that are invalid in it are no obstacle', () => {
    const bytes = Buffer.from(
      '<testsuite><testcase name="a"><system-out>\xFF</system-out></testcase></testsuite>',
      'latin1',
    );
    expect(read(bytes)).toMatchObject([{ name: 'a', outcome: 'passed' }]);
  });
});

describe('a report that cannot be read', () => {
  it.each([
    [''],
    [' \n'],
    ['<'],
    ['<?xml version="1.0" enc'],
    ['<testsuite>'],
    ['<testsuite><testcase name="a"/>'],
    ['<testsuites><testsuite name="a"><testcase name="a"/></testsuite>'],
    ['<testsuite><testcase name="a"><failure>1 &lt; 2'],
    ['<testsuite><testcase name="a'],
    ['<testsuite><![CDATA[ <a/>'],
    ['<testsuite></testsuit'],
  ])('is the fault of the agent if it is empty or cut short: %j', (xml) => {
    const error = errorOf(xml);
    expect(error).toBeInstanceOf(AgentFault);
    expect((error as Error).message).toMatch(/“r0\.xml” is (?:empty|cut short)/);
  });

  it.each<[string, string | Uint8Array, RegExp]>([
    ['another format', 'TAP version 13\nok 1 - adds\n', /is not an XML file/],
    ['JSON', '{"tests": []}', /is not an XML file/],
    ['another kind of XML', '<html><body/></html>', /no root element is <testsuites> or <testsuite>/],
    ['an unknown encoding', '<?xml version="1.0" encoding="x-none"?><testsuite/>', /encoding “x-none”/],
    ['XML that is not valid', '<testsuite><testcase name="a">1 & 2</testcase></testsuite>', /char '&' is not expected/],
    ['20,000 nested suites', `${'<testsuite>'.repeat(20_000)}${'</testsuite>'.repeat(20_000)}`, /cannot be read/],
  ])('is an error if it is complete: %s', (_, xml, message) => {
    const error = errorOf(xml);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(AgentFault);
    expect((error as Error).message).toMatch(message);
  });
});

test('several reports count together, and other XML files between them are ignored', () => {
  const report = '<testsuite><testcase name="a"/><testcase name="b"><failure/></testcase></testsuite>';
  expect(countsOf(report, '<failsafe-summary/>', report)).toEqual([2, 4]);
  expect(() => read(report, '<testsuite>')).toThrow('“r1.xml” is cut short');
});
