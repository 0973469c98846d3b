import { execFileSync } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { startBrowser } from './browser.ts'
import { tool } from './tools.ts'

/** More than a browser sends at once: the others wait for a connection, and would be broken off. */
const REQUESTS = 14
const ANSWER_MS = 500
const LINK = `slw${process.pid}`.slice(0, 14)

const ip = (...argv: string[]) => execFileSync(tool('ip'), argv)
const server = createServer((_, answer) => setTimeout(() => answer.end('came'), ANSWER_MS))
await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
const browser = await startBrowser()
afterAll(async () => {
  await browser.close()
  server.close()
})

test('what waits for a connection is not broken off when addresses of the machine come and go', async () => {
  const page = await browser.newPage()
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  const ask = `fetch('/', { cache: 'no-store' }).then((answer) => answer.text(), String)`
  const asked = page.evaluate(`Promise.all(Array.from({ length: ${REQUESTS} }, () => ${ask}))`)
  await pause(ANSWER_MS / 2)
  ip('link', 'add', LINK, 'type', 'veth', 'peer', 'name', `${LINK}p`)
  try {
    ip('address', 'add', '192.0.2.1/32', 'dev', LINK)
    ip('link', 'set', LINK, 'up')
  } finally {
    ip('link', 'delete', LINK)
  }
  expect(await asked).toEqual(Array(REQUESTS).fill('came'))
})
