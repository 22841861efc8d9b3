import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export type Descriptor = { mediaType: string; digest: string; size: number }
export type Manifest = { config: Descriptor; layers: Descriptor[] } & Record<string, unknown>
export type ImageConfig = {
  architecture: string
  config?: { Env?: string[] } & Record<string, unknown>
  rootfs: { type: 'layers'; diff_ids: string[] }
  history?: object[]
} & Record<string, unknown>

export type BaseImage = {
  readonly manifest: Manifest
  readonly config: ImageConfig
  readonly readBlob: (digest: string) => Promise<Buffer>
}

/** Reads an image out of an OCI layout, such as `skopeo copy docker://… oci:folder` writes. It must have one platform. */
export async function readBaseImage(folder: string): Promise<BaseImage> {
  const readBlob = (digest: string) => readFile(join(folder, 'blobs', ...digest.split(':')))
  const readJson = async <T>(digest: string) => JSON.parse((await readBlob(digest)).toString()) as T
  const index = JSON.parse(await readFile(join(folder, 'index.json'), 'utf8')) as { manifests: Descriptor[] }
  const [first, ...others] = index.manifests
  if (first === undefined || others.length > 0 || first.mediaType.includes('index')) {
    throw new Error(`${folder} must have one image of one platform`)
  }
  const manifest = await readJson<Manifest>(first.digest)
  return { manifest, config: await readJson<ImageConfig>(manifest.config.digest), readBlob }
}
