import type { Client } from './client.ts'

export type Page = { status: number; location: string; html: string }

/** A browser as far as it is needed: signed in, and able to press a button of a page's only form. */
export function openBrowser({ fetch, web }: Client, login: string) {
  const go = async (address: string, form?: Record<string, string>): Promise<Page> => {
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    const headers = { cookie: `lab_user=${login}`, ...(form && type) }
    const content = form ? { method: 'POST', body: new URLSearchParams(form).toString() } : {}
    const response = await fetch(new URL(address, web).toString(), { redirect: 'manual', headers, ...content })
    return { status: response.status, location: response.headers.get('location') ?? '', html: await response.text() }
  }
  const press = ({ html }: Page, decision: string) => {
    const plain = (text = '') => text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    const [, action] = /action="([^"]*)"/.exec(html) ?? []
    const hidden = [...html.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)]
    const fields = Object.fromEntries(hidden.map(([, name = '', value]) => [name, plain(value)]))
    return go(plain(action), { ...fields, decision })
  }
  return { go, press }
}

/** What the host gave to the address that it leads back to. */
export const queryOf = ({ location }: Page) => new URL(location, 'https://nowhere.test').searchParams
