import { chmod, lchown, lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Makes everything that a build left readable for the user that the app will run as, which is another one than the
 * build's where svc is root. The build must have ended. Links are left as they are: they are followed only inside the
 * sandbox. Returns the reason if the release cannot be used.
 */
export async function closeRelease(folder: string, owner: number | undefined): Promise<string | undefined> {
  await openToAll(folder, owner)
  for await (const entry of await opendir(folder, { recursive: false })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      const reason = await closeRelease(path, owner)
      if (reason !== undefined) return reason
    } else if (entry.isFile()) {
      await openToAll(path, owner)
    } else if (!entry.isSymbolicLink()) {
      return `The build left a file that is neither a plain file, a folder nor a link: ${entry.name}.`
    }
  }
  return undefined
}

/** Others may do what the owner may, but not write. Bits such as setuid are removed. */
async function openToAll(path: string, owner: number | undefined): Promise<void> {
  const { mode } = await lstat(path)
  const isRunnable = (mode & 0o100) !== 0 || (mode & 0o170000) === 0o040000
  if (owner !== undefined) await lchown(path, owner, owner)
  await chmod(path, isRunnable ? 0o755 : 0o644)
}
