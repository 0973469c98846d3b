import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { packageRoot } from './package-sets.ts'
import { needPackages } from './parts/packages.ts'
import { toolEnv } from './tools.ts'

/**
 * Debian's own browser, without a window. Root's has no sandbox: it opens pages of ours alone. It hears nothing of the machine's networks:
 * with every address that an engine gives away or takes back, it would break off whatever waits for a connection (ERR_NETWORK_CHANGED).
 */
export async function startBrowser(): Promise<Browser> {
  await needPackages('browser')
  const root = packageRoot('browser')
  return await chromium.launch({
    executablePath: join(import.meta.dirname, 'without-netlink.pl'),
    args: ['--disable-gpu', '--disable-quic'],
    timeout: 120_000,
    env: toolEnv({
      SLIPWAY_LAB_PROGRAM: join(root, 'usr/lib/chromium/chromium'),
      LD_LIBRARY_PATH: librariesIn(root).join(':'),
      FONTCONFIG_FILE: join(root, 'etc/fonts/fonts.conf'),
    }),
  })
}

function librariesIn(root: string): string[] {
  const parents = ['usr/lib', 'lib'].map((name) => join(root, name)).filter((dir) => existsSync(dir))
  const places = parents.flatMap((dir) => readdirSync(dir).map((name) => join(dir, name)))
  // One library lies a folder deeper and is found by its own search path on an installed system.
  return places.filter((dir) => dir.endsWith('-linux-gnu')).flatMap((dir) => [dir, join(dir, 'pulseaudio')])
}
