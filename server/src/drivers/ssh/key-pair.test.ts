import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tool, toolEnv } from '../../../../lab/tools.ts'
import { generateKeyPair } from './key-pair.ts'
import { loadSsh2 } from './private-key.ts'

test('ssh-keygen derives the same public key and comment from the private half', () => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-pair-'))
  for (let length = 0; length < 9; length++) {
    const { privateKey, publicKey } = generateKeyPair('c'.repeat(length))
    writeFileSync(join(folder, 'key'), privateKey, { mode: 0o600 })
    expect(execFileSync(tool('ssh-keygen'), ['-yf', join(folder, 'key')], { encoding: 'utf8', env: toolEnv() })).toBe(
      publicKey,
    )
  }
  rmSync(folder, { recursive: true })
})

test('a thousand pairs in a row each sign and verify', async () => {
  const { utils } = await loadSsh2()
  const parse = (text: string) => {
    const key = utils.parseKey(text)
    if (key instanceof Error) throw key
    return key
  }
  for (let i = 0; i < 1000; i++) {
    const { privateKey, publicKey } = generateKeyPair('slipway')
    expect(parse(publicKey).verify(Buffer.from('text'), parse(privateKey).sign(Buffer.from('text')))).toBe(true)
  }
})

test('a comment cannot add a line to authorized_keys', () => {
  const { publicKey } = generateKeyPair('slipway\nssh-ed25519 AAAA evil\r\n')
  expect(publicKey.match(/\n/g)).toHaveLength(1)
  expect(publicKey).toMatch(/^ssh-ed25519 \S+ slipway ssh-ed25519 AAAA evil\n$/)
})
