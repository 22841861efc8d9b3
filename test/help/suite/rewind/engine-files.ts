import type { EngineFiles, FileNode, OpenFile } from './engine-memory.ts'

type SavedNode = { readonly node: FileNode; readonly name: string; readonly parent: FileNode; readonly mode: number }
type SavedFile = { readonly node: FileNode; readonly bytes: Buffer }
type SavedFolder = { readonly node: FileNode; readonly nodes: Record<string, FileNode> }

/** Copies the files of an engine and the list of those it has open. Returns a function that brings both back. */
export function saveFiles(fs: EngineFiles): () => void {
  const all = [...nodesIn(fs, fs.root)]
  const nodes: SavedNode[] = all.map((node) => ({ node, name: node.name, parent: node.parent, mode: node.mode }))
  const files: SavedFile[] = all
    .filter(({ mode }) => fs.isFile(mode))
    .map((node) => ({ node, bytes: Buffer.from(bytesOf(node)) }))
  const folders: SavedFolder[] = [fs.root, ...all.filter((node) => isOwnFolder(fs, node))].map((node) => ({
    node,
    nodes: { ...foldersOf(node) },
  }))
  const restoreOpenFiles = saveOpenFiles(fs)
  return () => {
    for (const node of nodesIn(fs, fs.root)) fs.hashRemoveNode(node)
    for (const { node, nodes: before } of folders) node.contents = { ...before }
    for (const { node, name, parent, mode } of nodes) fs.hashAddNode(Object.assign(node, { name, parent, mode }))
    for (const { node, bytes } of files) {
      if (!bytes.equals(bytesOf(node)))
        Object.assign(node, { contents: new Uint8Array(bytes), usedBytes: bytes.length })
    }
    restoreOpenFiles()
  }
}

/** The nodes below a folder, without those of devices and other mounted file systems. */
function* nodesIn(fs: EngineFiles, folder: FileNode): Generator<FileNode> {
  for (const node of Object.values(foldersOf(folder))) {
    yield node
    if (isOwnFolder(fs, node)) yield* nodesIn(fs, node)
  }
}

function isOwnFolder(fs: EngineFiles, { mode, mounted }: FileNode): boolean {
  return fs.isDir(mode) && !mounted
}

function foldersOf({ contents }: FileNode): Record<string, FileNode> {
  return contents as Record<string, FileNode>
}

function bytesOf({ contents, usedBytes }: FileNode): Buffer {
  const { buffer, byteOffset } = contents as Uint8Array<ArrayBuffer>
  return Buffer.from(buffer, byteOffset, usedBytes)
}

function saveOpenFiles({ streams }: EngineFiles): () => void {
  const saved = streams.map((file) => file && { file, shared: file.shared, values: { ...file.shared } })
  return () => {
    streams.length = 0
    for (const [fd, entry] of saved.entries()) streams.push(entry && reopened(entry, fd))
  }
}

type SavedOpenFile = { file: OpenFile; shared: OpenFile['shared']; values: OpenFile['shared'] }

function reopened({ file, shared, values }: SavedOpenFile, fd: number): OpenFile {
  return Object.assign(file, { fd, shared: Object.assign(shared, values) })
}
