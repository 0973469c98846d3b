import { expect, test } from 'vitest'
import { changedKey, installCommand, readHostKey } from './host-key.ts'

const SUM = `SHA256:${'A'.repeat(43)}`

test('a host key is taken as it is pinned and as ssh-keygen prints it, and nothing else is', () => {
  expect(readHostKey(` ssh-ed25519 ${SUM} `)).toBe(`ssh-ed25519 ${SUM}`)
  expect(readHostKey(`256 ${SUM} root@fra-1 (ED25519)`)).toBe(`ssh-ed25519 ${SUM}`)
  expect(readHostKey(`3072 ${SUM} a comment (RSA)`)).toBe(`ssh-rsa ${SUM}`)
  expect(readHostKey(`384 ${SUM} no comment (ECDSA)`)).toBe(`ecdsa-sha2-nistp384 ${SUM}`)
  for (const none of ['', SUM, 'ssh-ed25519 AAAAC3Nz', `256 MD5:aa root (ED25519)`])
    expect(readHostKey(none)).toBeNull()
})

test('a key that changed is told with both fingerprints', () => {
  const found = `192.0.2.10:22 showed the host key ssh-ed25519 ${SUM}, but ssh-rsa ${SUM} is the confirmed one.`
  expect(changedKey(found)).toEqual({ shown: `ssh-ed25519 ${SUM}`, pinned: `ssh-rsa ${SUM}` })
  expect(changedKey('Nothing accepts connections at 192.0.2.10:22.')).toBeNull()
})

test('what is to be typed is one command, whatever the comment of the key says', () => {
  const reached = { host: '192.0.2.10', port: 2222, user: 'deploy', publicKey: "ssh-ed25519 AAAA it's" }
  expect(installCommand(reached)).toBe(
    "echo 'ssh-ed25519 AAAA it'\\''s' | ssh -p 2222 deploy@192.0.2.10 'umask 077; mkdir -p ~/.ssh; cat >> ~/.ssh/authorized_keys'",
  )
  expect(installCommand({ ...reached, port: 22 })).toContain('| ssh deploy@')
})
