import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { newHome } from '../../test/run-here.ts'
import { configFile, readConfig, writeConfig } from './config-file.ts'
import { targetOf } from './target.ts'

const context = (url: string, token = 'slp_a') => ({ url, token, tokenId: 'tok_1', expiresAt: null })

async function home() {
  const env = { HOME: await newHome() }
  writeConfig(env, {
    current: 'one',
    contexts: {
      one: context('https://one.example.com', 'slp_one'),
      two: context('https://two.example.com', 'slp_two'),
    },
  })
  return env
}

const asked = (env: NodeJS.ProcessEnv, flags: Record<string, string> = {}) => targetOf({ env, flags: flags as never })

test('what is remembered is for its owner alone, and is written whole', async () => {
  const env = await home()
  const file = configFile(env)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect((await stat(dirname(file))).mode & 0o777).toBe(0o700)
  expect(await readdir(dirname(file))).toEqual(['config.json'])
  expect(readConfig(env).current).toBe('one')
})

test.each([
  ['the file', 0o644, (file: string) => file, 'chmod 600'],
  ['its folder', 0o755, dirname, 'chmod 700'],
])('%s is refused when others may read it, with the command that mends it', async (_, mode, of, command) => {
  const env = await home()
  await chmod(of(configFile(env)), mode)
  expect(() => readConfig(env)).toThrow(
    expect.objectContaining({ code: 'config_open_to_others', hint: expect.stringContaining(command) }),
  )
})

test('a file that is broken is told of, not taken for nothing', async () => {
  const env = { XDG_CONFIG_HOME: await newHome() }
  await mkdir(dirname(configFile(env)), { mode: 0o700 })
  await writeFile(configFile(env), '{', { mode: 0o600 })
  expect(() => readConfig(env)).toThrow(expect.objectContaining({ code: 'config_broken' }))
})

test('a flag goes before the environment, and that before what is signed in to', async () => {
  const env = await home()
  expect(asked(env)).toMatchObject({ url: 'https://one.example.com', token: 'slp_one', context: 'one' })
  expect(asked(env, { context: 'two' })).toMatchObject({ url: 'https://two.example.com', token: 'slp_two' })
  const named = { ...env, SLIPWAY_URL: 'https://two.example.com', SLIPWAY_TOKEN: 'slp_env' }
  expect(asked(named)).toMatchObject({ url: 'https://two.example.com', token: 'slp_env' })
  expect(asked(named, { url: 'https://one.example.com' })).toMatchObject({
    url: 'https://one.example.com',
    token: 'slp_env',
  })
  expect(asked(named, { context: 'one' })).toMatchObject({ url: 'https://one.example.com' })
  expect(asked({ HOME: await newHome() })).toEqual({ url: 'http://127.0.0.1:4600', token: null, context: null })
})

test('a token that was made for one instance is sent to no other', async () => {
  const env = await home()
  expect(asked(env, { url: 'https://other.example.com' })).toMatchObject({ token: null, context: null })
  expect(asked({ ...env, SLIPWAY_URL: 'https://other.example.com' })).toMatchObject({ token: null })
  expect(() => asked(env, { context: 'three' })).toThrow(
    expect.objectContaining({ exit: 2, hint: 'There is: one, two.' }),
  )
})
