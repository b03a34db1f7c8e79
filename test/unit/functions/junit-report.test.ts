import { describe, expect, test } from 'vitest';
import { AgentFault } from '../../../src/functions/agent-fault.ts';
import { readJUnit } from '../../../src/functions/junit-report.ts';

const read = (xml: string) => readJUnit(xml, 'r.xml');

describe('a JUnit report', () => {
  test('of pytest has one suite, and classes with their modules', () => {
    const report =
      read(`<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite name="pytest" errors="0" failures="1" skipped="1" tests="3" time="0.05">
      <testcase classname="tests.test_a" name="test_one" time="0.001" />
      <testcase classname="tests.test_a" name="test_two[&lt;x&gt;]" time="0.001"><failure message="assert 1 == 2&#10; +  where 1">def test_two(): ...</failure></testcase>
      <testcase classname="tests.test_a" name="test_three"><skipped type="pytest.skip" message="later">x</skipped></testcase>
    </testsuite></testsuites>`);
    expect(report).toEqual({
      passed: 1,
      total: 2,
      skipped: 1,
      parts: [
        { name: 'tests.test_a › test_two[<x>]', value: 0, reason: 'assert 1 == 2\n +  where 1' },
        { name: 'tests.test_a › test_one', value: 1, reason: 'passes' },
      ],
    });
  });

  test('of Node has tests next to nested suites, and an error counts as a failure', () => {
    const { passed, total, parts } = read(`<testsuites><testcase name="top" classname="test"/>
      <testsuite name="outer"><testsuite name="inner"><testcase name="deep"><error/></testcase></testsuite></testsuite></testsuites>`);
    expect([passed, total]).toEqual([1, 2]);
    expect(parts[0]).toEqual({ name: 'deep', value: 0, reason: 'fails' });
  });

  test('has one suite, or none', () => {
    expect(read('<testsuite><testcase name="a"/></testsuite>')).toMatchObject({ passed: 1, total: 1 });
    expect(read('<testsuites/>')).toMatchObject({ total: 0, parts: [] });
  });

  test('with thousands of tests lists those that fail', () => {
    const cases = Array.from({ length: 3_000 }, (_, index) =>
      index === 2_999 ? '<testcase name="last"><failure>no</failure></testcase>' : `<testcase name="t${index}"/>`,
    );
    const { passed, total, parts } = read(`<testsuite>${cases.join('')}</testsuite>`);
    expect([passed, total, parts.length]).toEqual([2_999, 3_000, 200]);
    expect(parts[0]).toEqual({ name: 'last', value: 0, reason: 'no' });
  });

  test.each(['', 'no xml', '<testsuite>', '<html><body/></html>'])('is not %j', (xml) => {
    expect(() => read(xml)).toThrow('“r.xml” is not a JUnit report');
  });

  test('with 300,000 tests, or with 20,000 nested suites, is read', () => {
    expect(read(`<testsuite>${'<testcase name="t"/>'.repeat(300_000)}</testsuite>`).total).toBe(300_000);
    const deep = `${'<testsuite>'.repeat(20_000)}<testcase name="t"/>${'</testsuite>'.repeat(20_000)}`;
    // Where the parser gives up, the words say that it is no report.
    try {
      expect(read(deep).total).toBe(1);
    } catch (error) {
      expect(error).toBeInstanceOf(AgentFault);
      expect((error as Error).message).toMatch(/^“r\.xml” is not a JUnit report: ./);
    }
  });

  test('keeps the order of nested suites', () => {
    const suite = (name: string) => `<testsuite><testcase name="${name}"><failure/></testcase></testsuite>`;
    const { parts } = read(
      `<testsuites>${suite('a')}<testsuite>${suite('b')}${suite('c')}</testsuite>${suite('d')}</testsuites>`,
    );
    expect(parts.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd']);
  });

  test('with entities that expand a million times stays small', () => {
    const bomb = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;"><!ENTITY e "&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;">]><testsuite><testcase name="a"><failure>${'&e;'.repeat(1_000)}</failure></testcase></testsuite>`;
    try {
      expect(JSON.stringify(read(bomb)).length).toBeLessThan(10_000);
    } catch (error) {
      expect((error as Error).message).toMatch(/entit|r\.xml/i);
    }
  });
});
