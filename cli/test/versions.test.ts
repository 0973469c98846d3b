import { expect, test } from 'vitest'
import { isUnderstood } from '../src/instance/compare-versions.ts'

test.each([
  ['0.2.0', { least: '0.1.0', newest: '0.3.0' }, true],
  ['0.4.0', { least: '0.1.0', newest: '0.3.0' }, true],
  ['0.0.9', { least: '0.1.0', newest: '0.3.0' }, false],
  ['0.1.0-rc.1', { least: '0.1.0', newest: '0.3.0' }, false],
  // What an instance hands out itself, before there is a release of that number.
  ['0.1.0-snapshot', { least: '0.1.0', newest: '0.1.0-snapshot' }, true],
])('a command line %s and an instance of %j: understood is %s', (version, instance, understood) => {
  expect(isUnderstood(version, instance)).toBe(understood)
})
