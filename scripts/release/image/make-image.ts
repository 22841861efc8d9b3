import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import packageJson from '../../../package.json' with { type: 'json' }
import { readBaseImage } from './base-image.ts'
import { readSettings } from './containerfile.ts'
import { packLayer } from './image-layer.ts'
import { writeImage } from './write-image.ts'

const root = join(import.meta.dirname, '..', '..', '..')

/**
 * Writes the image of the server on top of a base image in an OCI layout, and returns the name of its file. It needs no
 * container runtime and no network. The base has Node 24 and the C++ runtime, like that of the Containerfile.
 */
export async function makeImage(baseFolder: string, into: string): Promise<string> {
  const base = await readBaseImage(baseFolder)
  const { architecture } = base.config
  const settings = readSettings(await readFile(join(root, 'Containerfile'), 'utf8'))
  const file = `svc-image-${packageJson.version}-${architecture}.tar`
  const layer = await packLayer(architecture)
  await writeImage(join(into, file), { base, layer, settings, name: `svc:${packageJson.version}` })
  return file
}
