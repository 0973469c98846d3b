/** Names one act, so that sending it twice does it once. `crypto.randomUUID` exists only on https and localhost. */
export function newActKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `dash-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
