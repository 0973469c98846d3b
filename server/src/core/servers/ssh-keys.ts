/** How key pairs are made and read; the SSH driver knows the formats. */
export type SshKeys = {
  generate(comment: string): { privateKey: string; publicKey: string }
  /** The public half; throws when the key or its passphrase cannot be read. */
  publicKeyOf(key: { privateKey: string; passphrase?: string }): Promise<string>
}
