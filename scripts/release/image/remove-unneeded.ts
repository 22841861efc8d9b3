import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isRuntimeFile } from './runtime-files.ts'

/** `node remove-unneeded.ts node_modules` removes what no server of this system needs when it runs. */
const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('no folder named')
for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name)
  if (entry.isFile() && !isRuntimeFile(path, { system: process.platform, cpu: process.arch })) rmSync(path)
}
