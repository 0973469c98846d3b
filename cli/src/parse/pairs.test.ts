import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { newHome } from '../../test/run-here.ts'
import { fieldsIn } from './pairs.ts'

const KNOWN = { name: 'text', port: 'number', isDefault: 'boolean', watchPaths: 'list', secret: 'text' } as const

const io = async (stdin = '') => ({ cwd: await newHome(), stdin: () => Readable.from([stdin]) })

test('words become fields of their kind, and an empty one takes the value away', async () => {
  const words = ['name=a=b', 'port=22', 'isDefault=on', 'watchPaths=src/**, !docs', 'secret=']
  expect(await fieldsIn(await io(), words, KNOWN)).toEqual({
    name: 'a=b',
    port: 22,
    isDefault: true,
    watchPaths: ['src/**', '!docs'],
    secret: null,
  })
})

test('a secret comes from standard input or from a file, and so is in no list of processes', async () => {
  const given = await io('from stdin\n')
  await writeFile(join(given.cwd, 'key'), 'line 1\nline 2\n')
  expect(await fieldsIn(given, ['secret=-', 'name=@key'], KNOWN)).toEqual({
    secret: 'from stdin',
    name: 'line 1\nline 2\n',
  })
})

test.each([
  ['prot=22', 'There is no prot to set.'],
  ['constructor=1', 'There is no constructor to set.'],
  ['port=many', 'port is a number, not many.'],
  ['isDefault=constructor', 'isDefault is on or off, not constructor.'],
  ['name', 'name has no value.'],
  ['name=@nowhere', 'cannot be read'],
])('%s is refused with a sentence', async (word, sentence) => {
  await expect(fieldsIn(await io(), [word], KNOWN)).rejects.toMatchObject({
    exit: 2,
    message: expect.stringContaining(sentence),
  })
  await expect(fieldsIn(await io(), ['name=-', 'secret=-'], KNOWN)).rejects.toMatchObject({ exit: 2 })
})
