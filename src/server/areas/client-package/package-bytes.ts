import { createHash } from 'node:crypto'
import { ServiceError } from '#contract/core/errors.ts'

export type ClientPackage = { readonly bytes: Buffer; readonly digest: string }
export type ReadPackage = () => Promise<Buffer>

/**
 * Returns a function that reads the package at its first call and keeps it, because that of a running version does not
 * change. Calls at the same time wait for the same reading. A failed one is repeated by the next call.
 */
export function createPackageReader(read: ReadPackage): () => Promise<ClientPackage> {
  let reading: Promise<ClientPackage> | undefined
  return () => {
    reading ??= describeBytes(read).catch((cause: unknown) => {
      reading = undefined
      throw new ServiceError('UNAVAILABLE', 'The client cannot be packed on this server. Its log has the reason.', {
        cause,
      })
    })
    return reading
  }
}

async function describeBytes(read: ReadPackage): Promise<ClientPackage> {
  const bytes = await read()
  return { bytes, digest: createHash('sha256').update(bytes).digest('hex') }
}
