import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buildFolder, isBundled, rootFolder } from '#lib/files/bundle.ts'

/**
 * Node's own restrictions for the process that meets the bytes of apps: it reads its program and nothing else, writes no
 * file, and starts no processes, threads or native code. Connections and Unix sockets are not restricted by them.
 */
export function doorPermissions(entry: string): string[] {
  const source = join(rootFolder, 'src')
  const code = buildFolder === undefined ? [entry, source] : [entry, join(isBundled ? rootFolder : source, 'look')]
  const packages = foldersAbove(entry).flatMap((folder) => [join(folder, 'package.json'), join(folder, 'node_modules')])
  const found = [...code, ...packages].filter((path) => existsSync(path))
  // Node asks for both names of a file that is reached through a link.
  const paths = new Set(found.flatMap((path) => [path, realpathSync(path)]))
  return ['--permission', ...[...paths].map((path) => `--allow-fs-read=${path}`)]
}

function foldersAbove(path: string): string[] {
  const folder = dirname(path)
  return folder === path ? [] : [folder, ...foldersAbove(folder)]
}
