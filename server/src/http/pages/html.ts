import { createHash } from 'node:crypto'

export const escaped = (text: string) => text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`)

/** `head`: what stands before the style, such as a way to go on. */
export const page = (title: string, style: string, body: string, head = '') =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">${head}<title>${title}</title><style>${style}</style><h1>${title}</h1>${body}</html>`

/** For a policy that lets this very script or style run, and nothing else. */
export const sourceHash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
