import { writeFile } from 'node:fs/promises'
import { packClient } from './build-cli.ts'

/** `node scripts/pack-client.ts <file>`: packs the client of this checkout, for a server that runs from its sources. */
const [, , file] = process.argv
if (file === undefined) throw new Error('name the file to write')
await writeFile(file, await packClient())
