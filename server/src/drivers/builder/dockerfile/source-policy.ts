/**
 * What BuildKit may take as a source, in its own words: a second lock inside of the engine, for what no reading of the
 * Dockerfile shows (ONBUILD of a base image, a name that is put together). The last rule that fits counts. Wildcards only:
 * how other kinds are spelled differs between versions. Engines before 23 know no policy and leave it out.
 */
export function sourcePolicy(addresses: string[]): object {
  const rule = (action: 'ALLOW' | 'DENY', identifier: string) => ({ action, selector: { identifier } })
  return {
    rules: [
      // Images of the platform, below the public registry's name too.
      rule('DENY', 'docker-image://slipway.invalid/*'),
      rule('DENY', 'docker-image://*/slipway.invalid/*'),
      rule('DENY', 'http://*'),
      rule('DENY', 'https://*'),
      ...addresses.filter((address) => /^https?:\/\//i.test(address)).map((address) => rule('ALLOW', address)),
    ],
  }
}
