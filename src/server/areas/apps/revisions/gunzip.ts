import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { ServiceError } from '#contract/core/errors.ts'
import { TarFault } from './tar/header.ts'

/**
 * Decompresses gzip as it arrives. Throws as soon as there is more than `limit`, so that a small body that decompresses
 * to a very large one costs no more than a large body.
 */
export async function* gunzip(body: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<Uint8Array> {
  const unzipped = createGunzip()
  // Errors of the body destroy `unzipped`, and are thrown by the loop below.
  pipeline(body, unzipped, () => {})
  let size = 0
  try {
    for await (const chunk of unzipped as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > limit) throw new TarFault(`decompresses to more than ${limit} bytes`)
      yield chunk
    }
  } catch (cause) {
    if (cause instanceof ServiceError || !isGzipFault(cause)) throw cause
    throw new TarFault('is not valid gzip, or it is cut off')
  } finally {
    unzipped.destroy()
  }
}

function isGzipFault(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('Z_')
}
