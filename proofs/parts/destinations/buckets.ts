import { randomBytes } from 'node:crypto'
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteBucketPolicyCommand,
  DeleteObjectsCommand,
  ListObjectsV2Command,
  PutBucketPolicyCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { labPart } from '../../../lab/ask.ts'

type Login = { accessKeyId: string; secretAccessKey: string }
export type Bucket = { name: string; keys(): Promise<string[]> }

/** Buckets of the proof's own in the lab's gateway; `close` takes them away with what is in them. */
export function buckets() {
  const s3 = labPart('s3')
  const clientOf = ({ accessKeyId, secretAccessKey }: Login) =>
    new S3Client({
      endpoint: s3.endpoint,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId, secretAccessKey },
      requestChecksumCalculation: 'WHEN_REQUIRED',
    })
  const made: { name: string; client: S3Client }[] = []
  const keysIn = async (client: S3Client, name: string) => {
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: name }))
    return Contents.map(({ Key }) => Key ?? '')
  }
  return {
    s3,
    /** With what `main` may not do, where it is not theirs alone. */
    async make(owner: Login = s3.main, statements: object[] = []): Promise<Bucket> {
      const name = `proof-${randomBytes(6).toString('hex')}`
      const client = clientOf(owner)
      await client.send(new CreateBucketCommand({ Bucket: name }))
      made.push({ name, client })
      if (statements.length > 0) {
        const Policy = JSON.stringify({ Version: '2012-10-17', Statement: statements.map((one) => ruleFor(name, one)) })
        await client.send(new PutBucketPolicyCommand({ Bucket: name, Policy }))
      }
      return { name, keys: () => keysIn(client, name) }
    },
    async close() {
      for (const { name, client } of made) {
        await client.send(new DeleteBucketPolicyCommand({ Bucket: name })).catch(() => {})
        const Objects = (await keysIn(client, name)).map((Key) => ({ Key }))
        if (Objects.length > 0) await client.send(new DeleteObjectsCommand({ Bucket: name, Delete: { Objects } }))
        await client.send(new DeleteBucketCommand({ Bucket: name }))
      }
    },
  }
}

const ruleFor = (bucket: string, rule: object) => ({
  Resource: [`arn:aws:s3:::${bucket}`, `arn:aws:s3:::${bucket}/*`],
  Principal: { AWS: ['arn:aws:iam:::user/lab-main'] },
  ...rule,
})
