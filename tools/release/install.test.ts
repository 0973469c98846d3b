import { generateKeyPairSync } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { run } from '../../lab/run.ts'
import { billOfMaterials, noticesOf, packagesOf } from './packages.ts'
import { writeInstaller, writeSums } from './sign.ts'

// Installing needs root: the installer refuses everybody else before it does anything.
const made: string[] = []
afterAll(() => {
  for (const dir of made) rmSync(dir, { recursive: true, force: true })
})

const folder = (name: string) => {
  const dir = mkdtempSync(join(tmpdir(), `slipway-${name}-`))
  made.push(dir)
  return dir
}

/** A release that only leaves a note when it is believed. */
async function release(): Promise<{ dir: string; archive: string; note: string; install(): Promise<string> }> {
  const dir = folder('release')
  const note = join(dir, 'note')
  const name = `slipway-1.2.3-linux-${process.arch}`
  mkdirSync(join(dir, name, 'bin'), { recursive: true })
  writeFileSync(join(dir, name, 'bin/slipway'), `#!/bin/sh\necho "$@" > ${note}\n`, { mode: 0o755 })
  const archive = join(dir, `${name}.tar.xz`)
  await run(['tar', '-cJf', archive, '-C', dir, name])
  const key = join(dir, 'release.key')
  writeFileSync(key, newKey())
  await writeSums(dir, [archive], key)
  writeInstaller(join(import.meta.dirname, '../..'), dir, dir)
  const install = () => run(['sh', join(dir, 'install.sh'), '--', '--yes', '--email', 'you@example.com'])
  return { dir, archive, note, install }
}

const newKey = () => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })

let one: Awaited<ReturnType<typeof release>>
beforeEach(async () => {
  one = await release()
})

test('what was signed is unpacked, and its own program goes on with what was asked for', async () => {
  await one.install()
  expect(readFileSync(one.note, 'utf8')).toBe('setup install --yes --email you@example.com\n')
})

test('an archive with one byte more is refused, and nothing of it runs', async () => {
  appendFileSync(one.archive, 'x')
  await expect(one.install()).rejects.toThrow('is not what was signed. Nothing was changed.')
  expect(existsSync(one.note)).toBe(false)
})

test('a list of checksums that was changed is refused, and so is one that another key signed', async () => {
  const list = readFileSync(join(one.dir, 'SHA256SUMS'), 'utf8')
  appendFileSync(join(one.dir, 'SHA256SUMS'), ' ')
  await expect(one.install()).rejects.toThrow('The signature of the list of checksums is not right')
  writeFileSync(join(one.dir, 'SHA256SUMS'), list)
  writeFileSync(join(one.dir, 'other.key'), newKey())
  await writeSums(one.dir, [one.archive], join(one.dir, 'other.key'))
  await expect(one.install()).rejects.toThrow('The signature of the list of checksums is not right')
  expect(existsSync(one.note)).toBe(false)
})

test('a release without a signature is refused', async () => {
  rmSync(join(one.dir, 'SHA256SUMS.sig'))
  await expect(one.install()).rejects.toThrow(/There is no .*SHA256SUMS\.sig/)
})

test('half of the installer does nothing', async () => {
  const text = readFileSync(join(one.dir, 'install.sh'), 'utf8')
  for (const part of [0.3, 0.6, 0.9, 0.99]) {
    writeFileSync(join(one.dir, 'half.sh'), text.slice(0, Math.floor(text.length * part)))
    await run(['sh', join(one.dir, 'half.sh')]).catch(() => {})
    expect(existsSync(one.note)).toBe(false)
  }
})

test('every package that is given on is named with its license, and its own words are there', () => {
  const files = ['zod/v4/index.js', 'ssh2/lib/index.js'].map((file) =>
    join(import.meta.dirname, '../../node_modules', file),
  )
  const packages = packagesOf([...files, join(import.meta.dirname, 'main.ts')])
  expect(packages.map(({ name, license }) => ({ name, license }))).toEqual([
    { name: 'ssh2', license: 'MIT' },
    { name: 'zod', license: 'MIT' },
  ])
  expect(noticesOf(packages)).toContain('Brian White')
  const { components } = JSON.parse(billOfMaterials(packages, { version: '1.2.3', node: '24.0.0' }))
  expect(components.map((each: { purl?: string }) => each.purl)).toEqual([
    undefined,
    expect.stringMatching(/^pkg:npm\/ssh2@/),
    expect.stringMatching(/^pkg:npm\/zod@/),
  ])
})
