/** The end mark of an archive. */
export const END = Buffer.alloc(1024)

type Header = {
  name: string | Buffer
  type?: string
  size?: number
  /** The size field as it is written. */
  rawSize?: Buffer
  link?: string
  mode?: number
}

/** Makes one header block with a right checksum, whatever else is wrong with it. */
export function tarHeader({ name, type = '0', size = 0, rawSize, link = '', mode = 0o644 }: Header): Buffer {
  const block = Buffer.alloc(512)
  Buffer.from(name).copy(block, 0, 0, 100)
  block.write(`${mode.toString(8).padStart(7, '0')}\0`, 100)
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124)
  rawSize?.copy(block, 124)
  block.write('        ', 148)
  block.write(type, 156)
  block.write(link, 157)
  block.write('ustar\x0000', 257)
  block.write(
    `${block
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, '0')}\0 `,
    148,
  )
  return block
}

export type TarPart = Omit<Header, 'size' | 'rawSize'> & { content?: string | Buffer }

/** Makes an archive of any entries, also of those that no program would write. */
export function tarOf(parts: readonly TarPart[]): Buffer<ArrayBuffer> {
  return Buffer.concat([...parts.flatMap(blocksOf), END])
}

function blocksOf({ content = '', ...header }: TarPart): Buffer[] {
  const bytes = Buffer.from(content)
  const padding = Buffer.alloc((512 - (bytes.length % 512)) % 512)
  return [tarHeader({ ...header, size: bytes.length }), bytes, padding]
}
