import type { Endpoint } from '@slipway/contract/endpoint'
import { ERROR_CODES } from '@slipway/contract/errors'
import { z } from 'zod'

type Areas = Record<string, Record<string, Endpoint>>

/** The API as one page without scripts: readable in any browser, and by grep. */
export function docsPage(areas: Areas): string {
  const index = Object.keys(areas).map((area) => `<a href="#${area}">${html(title(area))}</a>`)
  const sections = Object.entries(areas).map(
    ([area, rows]) => `<h2 id="${area}">${html(title(area))}</h2>${Object.values(rows).map(entry).join('')}`,
  )
  const errors = Object.entries(ERROR_CODES).map(
    ([code, [status, meaning]]) =>
      `<tr id="error-${code}"><td><code>${code}</code><td>${status}<td>${html(meaning).replace(/`(\w+)`/g, '<code>$1</code>')}`,
  )
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Slipway API</title><style>${STYLE}</style><h1>Slipway API</h1>
<p>Send <code>Authorization: Bearer slp_…</code>. Lists answer <code>{ data, nextCursor }</code>; send
<code>?cursor=</code> for the next page. Refusals answer <code>{ success: false, error, code, hint, requestId }</code>.
A POST with an <code>Idempotency-Key</code> may be repeated. As a document: <a href="/api/openapi.json">openapi.json</a>.</p>
<nav>${index.join(' · ')} · <a href="#errors">Errors</a></nav>
${sections.join('')}
<h2 id="errors">Errors</h2><table><tr><th>code<th>status<th>meaning${errors.join('')}</table></html>`
}

function entry(row: Endpoint): string {
  const access = 'permission' in row.access ? row.access.permission : `public: ${row.access.public}`
  const parts = [
    ['Query', row.query && schemaText(row.query, 'input')],
    ['Body', bodyText(row)],
    ['Example', row.example === undefined ? undefined : JSON.stringify(row.example, null, 2)],
    [
      `Answer ${row.status ?? 200}`,
      row.response instanceof z.ZodType ? schemaText(row.response, 'output') : row.response.stream,
    ],
  ]
  const shown = parts.filter((part): part is [string, string] => part[1] !== undefined)
  return `<section><h3><b>${row.method}</b> <code>${html(row.path)}</code></h3><p>${html(row.summary)}.
<small>${html(access)}</small></p>${shown
    .map(([name, text]) => `<details><summary>${name}</summary><pre>${html(text)}</pre></details>`)
    .join('')}</section>`
}

function bodyText(row: Endpoint): string | undefined {
  if (row.body === undefined) return undefined
  return row.body instanceof z.ZodType ? schemaText(row.body, 'input') : row.body.stream
}

const schemaText = (schema: z.ZodType, io: 'input' | 'output') => {
  const json = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' })
  return JSON.stringify(json, (key, value) => (HIDDEN.has(key) ? undefined : value), 2)
}
const HIDDEN = new Set(['$schema', 'idPrefix', 'additionalProperties'])

const title = (area: string) => area.replace(/([A-Z])/g, ' $1').replace(/^./, (first) => first.toUpperCase())
const html = (text: string) =>
  text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c] ?? c)

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
h3{margin-bottom:0;font-weight:400}small{opacity:.7}pre{overflow:auto;padding:.5rem;border:1px solid #8884}
table{border-collapse:collapse}td,th{text-align:left;padding:.2rem .8rem .2rem 0;vertical-align:top}section{border-top:1px solid #8884}
details{margin-left:1rem}nav{line-height:2}`
