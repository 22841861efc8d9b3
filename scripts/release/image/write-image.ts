import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import type { BaseImage, Descriptor, ImageConfig } from './base-image.ts'
import type { ImageSettings } from './containerfile.ts'

const LAYER = 'application/vnd.oci.image.layer.v1.tar+gzip'
const CONFIG = 'application/vnd.oci.image.config.v1+json'
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json'
const EPOCH = '1970-01-01T00:00:00Z'

/** Writes an image as one file (an OCI archive): the layers of the base and one more. The same input gives the same bytes. */
export async function writeImage(
  file: string,
  { base, layer, settings, name }: { base: BaseImage; layer: Buffer; settings: ImageSettings; name: string },
): Promise<void> {
  const blobs = new Map<string, Buffer>()
  const add = (mediaType: string, bytes: Buffer): Descriptor => {
    const digest = `sha256:${sha256(bytes)}`
    blobs.set(digest, bytes)
    return { mediaType, digest, size: bytes.length }
  }
  for (const { digest } of base.manifest.layers) blobs.set(digest, await base.readBlob(digest))
  const added = add(LAYER, gzipSync(layer, { level: 9 }))
  const config = add(CONFIG, json(configOf(base.config, settings, `sha256:${sha256(layer)}`)))
  const layers = [...base.manifest.layers, added]
  const manifest = add(MANIFEST, json({ schemaVersion: 2, mediaType: MANIFEST, config, layers }))
  const annotations = { 'org.opencontainers.image.ref.name': name }
  const index = json({ schemaVersion: 2, manifests: [{ ...manifest, annotations }] })
  await writeArchive(file, [
    ['oci-layout', json({ imageLayoutVersion: '1.0.0' })],
    ['index.json', index],
    ...[...blobs].map(([digest, bytes]) => [`blobs/${digest.replace(':', '/')}`, bytes] as const),
  ])
}

function configOf(base: ImageConfig, settings: ImageSettings, diffId: string): ImageConfig {
  const names = new Set(settings.Env.map((line) => line.split('=')[0]))
  const inherited = (base.config?.Env ?? []).filter((line) => !names.has(line.split('=')[0]))
  return {
    ...base,
    created: EPOCH,
    config: { ...base.config, ...settings, Env: [...inherited, ...settings.Env] },
    rootfs: { type: 'layers', diff_ids: [...base.rootfs.diff_ids, diffId] },
    history: [...(base.history ?? []), { created: EPOCH, created_by: 'npm run release' }],
  }
}

async function writeArchive(file: string, entries: readonly (readonly [string, Buffer])[]): Promise<void> {
  const archive = pack()
  const written = pipeline(archive, createWriteStream(file))
  for (const [name, bytes] of entries) archive.entry({ name, mode: 0o644, mtime: new Date(0) }, bytes)
  archive.finalize()
  await written
}

const json = (value: object) => Buffer.from(JSON.stringify(value))
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
