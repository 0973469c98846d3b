/** Whether a delivery was signed with this secret: in constant time, and over its bytes as they came. */
export async function isSigned(secret: string, body: Buffer, signature: string | undefined): Promise<boolean> {
  const form = /^sha256=[0-9a-f]{64}$/
  if (secret === '' || body.length === 0 || signature === undefined || !form.test(signature)) return false
  const { verify } = await import('@octokit/webhooks-methods')
  return verify(secret, body.toString('utf8'), signature)
}
