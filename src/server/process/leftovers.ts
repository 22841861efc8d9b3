import { existsSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { deleteTree, isRemovedName, removedName } from '#lib/files/remove-folder.ts'

/**
 * Returns what a killed process left in the data folder: folders that were renamed to be deleted (rows of dropped
 * databases, files of former deploys) and clusters that were being unpacked. Nothing refers to any of them. The platform's
 * own cluster is none: its engine starts before this is asked and replaces an unfinished one itself.
 */
export function findLeftovers(dataDir: string): string[] {
  const apps = join(dataDir, 'apps')
  const places = [
    ...['databases', 'apps', 'trials'].map((name) => join(dataDir, name)),
    ...foldersIn(apps).flatMap((id) => ['releases', 'builds'].map((name) => join(apps, id, name))),
  ]
  const inPlaces = places.flatMap((place) => foldersIn(place).map((name) => join(place, name)))
  const own = foldersIn(dataDir).map((name) => join(dataDir, name))
  return [...own.filter(isRemovedName), ...inPlaces.filter(isLeftover)]
}

/**
 * Moves the leftovers out of the way of new folders and returns the function that deletes them, which can take long.
 * Call it before anything can make such a folder.
 */
export function takeLeftovers(dataDir: string, onError: (error: unknown) => void): () => Promise<void> {
  const taken = findLeftovers(dataDir).map((folder) => {
    if (isRemovedName(folder)) return folder
    const away = removedName(folder)
    renameSync(folder, away)
    return away
  })
  return async () => {
    for (const folder of taken) await deleteTree(folder, onError)
  }
}

function isLeftover(path: string): boolean {
  return isRemovedName(path) || path.endsWith('.part')
}

function foldersIn(place: string): string[] {
  if (!existsSync(place)) return []
  return readdirSync(place, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
}
