import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import {
  createRevision,
  findMissingFiles,
  type Revision,
  type RevisionFile,
  uploadFiles,
} from '#contract/apps/revisions.ts'
import type { Client } from '#contract/core/client.ts'
import type { UploadProgress } from '#contract/core/client-upload.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { tarSize, writeTar } from './tar.ts'
import type { FoundFile } from './walk.ts'

type HashedFile = RevisionFile & Pick<FoundFile, 'location'>

type Sent = {
  readonly alias: string
  readonly files: readonly FoundFile[]
  readonly message: string | null
  /** Called before files are sent. `count` is 0 if the server has all of them. */
  readonly onUpload: (upload: { count: number; bytes: number }) => void
  readonly onProgress: (progress: UploadProgress) => void
}

/** Creates a revision of local files. Only those are sent that the organization has not stored yet. */
export async function sendRevision(client: Client, sent: Sent): Promise<Revision> {
  const { alias, message } = sent
  const files = await hashFiles(sent.files)
  const manifest = files.map(({ location: _, ...file }) => file)
  const create = async () => {
    const { missing } = await client.call(findMissingFiles, { alias, files: manifest })
    await upload(client, sent, onePerDigest(files, new Set(missing)))
    return client.call(createRevision, { alias, files: manifest, message })
  }
  return create().catch((error: unknown) => {
    // A file that no revision used may have been removed between the question and the creation.
    if (error instanceof ServiceError && error.code === 'REVISION_INCOMPLETE') return create()
    throw error
  })
}

async function hashFiles(files: readonly FoundFile[]): Promise<HashedFile[]> {
  const hashed: HashedFile[] = []
  for (const { path, location, executable } of files) {
    const content = await readFile(location)
    hashed.push({ path, executable, size: content.byteLength, sha256: digestOf(content), location })
  }
  return hashed
}

function digestOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

function onePerDigest(files: readonly HashedFile[], digests: ReadonlySet<string>): HashedFile[] {
  const byDigest = new Map(files.map((file) => [file.sha256, file]))
  return [...byDigest.values()].filter(({ sha256 }) => digests.has(sha256))
}

async function upload(client: Client, sent: Sent, files: readonly HashedFile[]): Promise<void> {
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  sent.onUpload({ count: files.length, bytes })
  if (files.length === 0) return
  const options = { size: tarSize(files.map(({ size }) => size)), onProgress: sent.onProgress }
  await client.upload(uploadFiles, { alias: sent.alias }, writeTar(contentsOf(files)), options)
}

async function* contentsOf(files: readonly HashedFile[]): AsyncGenerator<{ name: string; content: Uint8Array }> {
  for (const { path, location, sha256 } of files) {
    const content = await readFile(location)
    if (digestOf(content) !== sha256) throw changed(path)
    yield { name: sha256, content }
  }
}

function changed(path: string): ServiceError {
  return new ServiceError('CONFLICT', `${path} changed while the folder was being sent. Try again.`)
}
