import { expect, test } from 'vitest'
import { readFlags, WrongUse } from './flags.ts'

test('what is unknown is an error and never ignored', () => {
  expect(() => readFlags(['install', '--swarm-args', 'x'], {})).toThrow(WrongUse)
  expect(() => readFlags(['instal'], {})).toThrow('There is no "slipway setup instal"')
  expect(() => readFlags(['backup', 'a', 'b'], {})).toThrow('"b" is too much')
})

test.each([
  [['install', '--email', 'nobody'], '--email must be an address'],
  [['install', '--http-port', '70000'], '--http-port must be a port'],
  [['install', '--set', 'PATH=/tmp'], 'must be like SLIPWAY_LOG_LEVEL=debug'],
  [['install', '--set', 'SLIPWAY_X=a\nSLIPWAY_SECRET_KEY=mine'], 'must be like SLIPWAY_LOG_LEVEL=debug'],
  // systemd and we would read it differently.
  [['install', '--set', 'SLIPWAY_X="quoted"'], 'must be like SLIPWAY_LOG_LEVEL=debug'],
  [['install', '--set', 'SLIPWAY_X=back\\slash'], 'must be like SLIPWAY_LOG_LEVEL=debug'],
  [['install', '--database-url', 'mysql://x'], '--database-url must begin with postgres://'],
  [['install', '--domain', 'https://slipway.example.com'], '--domain must be a name'],
  [['install', '--domain', 'a.example', '--url', 'https://b.example'], 'exclude each other'],
  [['backup', '--keep', '0'], '--keep must be a number'],
  [['backup', '--destination', 'offsite'], '--destination must be the id of a backup destination'],
])('%j is refused with what it should be', (argv, message) => {
  expect(() => readFlags(argv, {})).toThrow(message)
})

test('flags may come by the environment, and the command wins', () => {
  const env = { SLIPWAY_INSTALL_HTTP_PORT: '8080', SLIPWAY_INSTALL_YES: 'true', SLIPWAY_INSTALL_EMAIL: 'a@example.com' }
  expect(readFlags(['install', '--email', 'b@example.com'], env)).toMatchObject({
    httpPort: 8080,
    yes: true,
    email: 'b@example.com',
  })
})
