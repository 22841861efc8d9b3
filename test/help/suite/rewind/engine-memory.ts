/** The part of an Emscripten module that a rewind needs. */
export type EngineModule = {
  readonly HEAPU8: Uint8Array
  readonly FS: EngineFiles
  readonly stackSave: () => number
  readonly stackRestore: (pointer: number) => void
}

export type EngineFiles = {
  readonly root: FileNode
  readonly streams: (OpenFile | null | undefined)[]
  readonly hashAddNode: (node: FileNode) => void
  readonly hashRemoveNode: (node: FileNode) => void
  readonly isDir: (mode: number) => boolean
  readonly isFile: (mode: number) => boolean
}

/** `contents` of a folder are its nodes by name, those of a file its bytes, of which `usedBytes` count. */
export type FileNode = {
  name: string
  parent: FileNode
  mode: number
  mounted: unknown
  contents: unknown
  usedBytes: number
}

export type OpenFile = { fd: number | null; shared: { flags?: number; position?: number } }

const CHUNK = 64 * 1024
const ZEROS = Buffer.alloc(CHUNK)

/** Copies the memory of an engine. Returns a function that brings it back. */
export function saveMemory(module: EngineModule): () => void {
  const stack = module.stackSave()
  const saved = new Map<number, Buffer>()
  for (const [at, chunk] of chunksOf(module.HEAPU8)) if (!isZero(chunk)) saved.set(at, Buffer.from(chunk))
  return () => {
    for (const [at, chunk] of chunksOf(module.HEAPU8)) {
      const before = saved.get(at)
      if (before) before.copy(chunk)
      else if (!isZero(chunk)) chunk.fill(0)
    }
    module.stackRestore(stack)
  }
}

function* chunksOf({ buffer, length }: Uint8Array): Generator<[number, Buffer]> {
  for (let at = 0; at < length; at += CHUNK) yield [at, Buffer.from(buffer as ArrayBuffer, at, CHUNK)]
}

function isZero(chunk: Buffer): boolean {
  return chunk.equals(ZEROS)
}
