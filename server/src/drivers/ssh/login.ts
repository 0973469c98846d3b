import type { KeyboardInteractiveAuthMethod, PasswordAuthMethod, PublicKeyAuthMethod } from 'ssh2'
import { parsePrivateKey } from './private-key.ts'
import type { SshAccount } from './target.ts'

export type LoginMethod = PublicKeyAuthMethod | PasswordAuthMethod | KeyboardInteractiveAuthMethod

/** How to log in, in the order of trying. */
export async function loginMethods(account: SshAccount): Promise<LoginMethod[]> {
  const { user: username, privateKey, passphrase, password } = account
  const methods: LoginMethod[] = []
  if (privateKey !== null) {
    const key = await parsePrivateKey({ privateKey, ...(passphrase !== undefined && { passphrase }) })
    // ssh2 takes a key that is already parsed only as a method of its own.
    methods.push({ type: 'publickey', username, key })
  }
  if (typeof password === 'string') {
    methods.push({ type: 'password', username, password })
    // Servers that ask PAM take a password only as the answer to its one question.
    methods.push({
      type: 'keyboard-interactive',
      username,
      prompt: (_name, _instructions, _language, prompts, finish) => finish(prompts.map(() => password)),
    })
  }
  return methods
}
