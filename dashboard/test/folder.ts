import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Page, Request } from 'playwright-core'
import { afterAll } from 'vitest'

/** A folder on this machine, as somebody would drop it; gone when the tests of the file are. */
export function folderOf(name: string, files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'slipway-folder-'))
  afterAll(() => rmSync(root, { recursive: true, force: true }))
  for (const [path, text] of Object.entries(files)) {
    const full = join(root, name, path)
    mkdirSync(dirname(full), { recursive: true })
    writeFileSync(full, text)
  }
  return join(root, name)
}

/** Chooses a folder by the input, the way of those who do not drag. */
export const chooseFolder = (page: Page, folder: string): Promise<void> =>
  page.locator('input[type=file]').setInputFiles(folder)

/** Drops a folder on something, as the window system would tell the browser of it. */
export async function dropFolder(page: Page, selector: string, folder: string): Promise<void> {
  await page.locator(selector).scrollIntoViewIfNeeded()
  const box = await page.locator(selector).boundingBox()
  if (!box) throw new Error(`${selector} is not there`)
  const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  const session = await page.context().newCDPSession(page)
  const data = { items: [], files: [folder], dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, ...at, data })
}

/** What a page sends of folders, while it is watched. */
export function watchUploads(page: Page) {
  let requests: Request[] = []
  page.context().on('request', (request) => {
    if (request.url().includes('/folder-sessions')) requests.push(request)
  })
  const isBlobs = (request: Request) => /\/blobs(\/|$)/.test(new URL(request.url()).pathname)
  return {
    /** Requests with contents of files since the last time this was asked. */
    blobs(): number {
      const count = requests.filter(isBlobs).length
      requests = requests.filter((request) => !isBlobs(request))
      return count
    },
    /** Every path that was announced. */
    announced: (): string[] =>
      requests
        .filter((request) => request.method() === 'POST' && request.url().endsWith('/folder-sessions'))
        .flatMap((request) => (request.postDataJSON() as { files: { path: string }[] }).files.map(({ path }) => path)),
  }
}
