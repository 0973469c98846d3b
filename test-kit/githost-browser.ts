import { readFile } from 'node:fs/promises'
import { request } from 'node:https'
import type { GitHost } from '../lab/githost/start.ts'

export type Visited = { status: number; text: string; url: string; headers: Record<string, unknown> }
type Jar = Map<string, string>
/** How our own pages are asked for: in process, or at a server that runs. */
type AskUs = (path: string, cookie: string) => Promise<Omit<Visited, 'url'>>
type Ours = { publicUrl: string; ask: AskUs }
/** `cloud`: where a second one of ours takes part. */
type Sides = Ours & { host: Pick<GitHost, 'url' | 'caFile'>; cloud?: Ours }

/** A browser with cookies for all sides, ours and the git host's. */
export function githostBrowser({ host, cloud, ...here }: Sides) {
  const jars = { ours: new Map() as Jar, cloud: new Map() as Jar, theirs: new Map() as Jar }
  const once = async (address: string, form?: URLSearchParams): Promise<Visited> => {
    const atCloud = cloud && address.startsWith(cloud.publicUrl) ? cloud : undefined
    const ours = address.startsWith(here.publicUrl) ? here : atCloud
    const jar = ours === undefined ? jars.theirs : ours === here ? jars.ours : jars.cloud
    const answer = ours
      ? { ...(await ours.ask(address.slice(ours.publicUrl.length), cookieOf(jar))), url: address }
      : await atHost(host.caFile, address, cookieOf(jar), form)
    keep(jar, answer.headers['set-cookie'])
    return answer
  }
  return {
    jars,
    signIn: (as: string) => once(`${host.url}/login?as=${as}`),
    /** To the first page that is not a redirect; `until` stops before an address. */
    async visit(address: string, form?: URLSearchParams, until?: RegExp): Promise<Visited> {
      let shown = await once(address, form)
      for (let hops = 0; hops < 10 && shown.status >= 300 && shown.status < 400; hops++) {
        const to = new URL(String(shown.headers.location), shown.url).href
        if (until?.test(to)) return { ...shown, url: to }
        shown = await once(to)
      }
      return shown
    },
  }
}
export type Browser = ReturnType<typeof githostBrowser>

const cookieOf = (jar: Jar) => [...jar].map(([name, value]) => `${name}=${value}`).join('; ')

function keep(jar: Jar, set: unknown): void {
  for (const line of [set].flat()) {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(String(line ?? '')) ?? []
    if (name) jar.set(name, value ?? '')
  }
}

async function atHost(caFile: string, address: string, cookie: string, form?: URLSearchParams): Promise<Visited> {
  const ca = await readFile(caFile)
  const headers = { cookie, ...(form && { 'content-type': 'application/x-www-form-urlencoded' }) }
  return new Promise((resolve, reject) => {
    const asked = request(address, { ca, method: form ? 'POST' : 'GET', headers }, async (answer) => {
      let text = ''
      for await (const chunk of answer) text += chunk
      resolve({ status: answer.statusCode ?? 0, text, url: address, headers: answer.headers })
    })
    asked.on('error', reject).end(form?.toString())
  })
}

/** The address that the only link or form of our page leads to, and what the form carries. */
export function buttonOf(html: string): { action: string; form: URLSearchParams | undefined } {
  const plain = (text: string) => text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
  const action = plain(/(?:href|action)="([^"]+)"/.exec(html)?.[1] ?? '')
  const manifest = /name="manifest" value="([^"]*)"/.exec(html)?.[1]
  return { action, form: manifest === undefined ? undefined : new URLSearchParams({ manifest: plain(manifest) }) }
}

/** Opens our page, presses its button, and agrees to whatever the host asks. */
export async function connectBy(browser: Browser, as: string, url: string, more: Record<string, string> = {}) {
  await browser.signIn(as)
  const page = await browser.visit(url)
  const { action, form } = buttonOf(page.text)
  const asked = new URL(action)
  for (const [name, value] of Object.entries(more)) asked.searchParams.set(name, value)
  return browser.visit(asked.href, form)
}
