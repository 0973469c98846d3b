import { expect, test } from 'vitest'
import { fileName, projectVolume, serviceName } from './labels.ts'

const name = (project: string, service: string) => serviceName('i', { project, service })

test('a name is one that the engine takes, whatever the project and the service are called', () => {
  for (const [project, service] of [
    ['prj_AbC', 'web'],
    ['', 'ünï çödé'],
    ['x'.repeat(200), 'y'.repeat(200)],
    ['-', '_'],
    ['a--', '--b'],
  ] as const) {
    expect(name(project, service)).toMatch(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/)
    expect(name(project, service).length).toBeLessThanOrEqual(63)
  }
})

test('what looks the same after cleaning stays apart', () => {
  const names = [
    name('a-b', 'c'),
    name('a', 'b-c'),
    name('A', 'b-c'),
    name('a', 'b_c'),
    serviceName('j', { project: 'a', service: 'b-c' }),
  ]
  expect(new Set(names).size).toBe(names.length)
})

test('a volume has the same name for ever, and the engine takes it', () => {
  expect(projectVolume('prj_AbC', 'files')).toBe('prj-abc-files-258de49540')
  const names = [
    projectVolume('a', 'b-c'),
    projectVolume('a-b', 'c'),
    projectVolume('a', 'b_c'),
    projectVolume('', 'ü'),
  ]
  for (const one of names) expect(one).toMatch(/^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/)
  expect(new Set(names).size).toBe(names.length)
})

test('a file has another name when anything about it is another', () => {
  const file = { kind: 'config', content: 'eA==', uid: '0', gid: '0', mode: 0o444 }
  const names = [
    fileName('i', 'prj_a', file),
    fileName('j', 'prj_a', file),
    fileName('i', 'prj_b', file),
    ...[{ kind: 'secret' }, { content: 'eQ==' }, { uid: '1' }, { gid: '1' }, { mode: 0o400 }].map((other) =>
      fileName('i', 'prj_a', { ...file, ...other }),
    ),
  ]
  expect(new Set(names).size).toBe(names.length)
  for (const one of names) expect(one).toMatch(/^prj-[ab]-[0-9a-f]{20}$/)
})
