/** The settings of an image, in the words of its configuration (OCI image specification). */
export type ImageSettings = {
  readonly WorkingDir: string
  readonly User: string
  readonly Env: readonly string[]
  readonly ExposedPorts: Readonly<Record<string, object>>
  readonly StopSignal: string
  readonly Entrypoint: readonly string[]
  readonly Cmd: readonly string[]
}

/** Reads the settings that the last stage of a Containerfile gives its image. */
export function readSettings(containerfile: string): ImageSettings {
  const text = containerfile.replace(/^\s*#.*\n/gm, '').replace(/\\\n\s*/g, '')
  const stage = text.slice(text.lastIndexOf('\nFROM '))
  const read = (instruction: string) => {
    const value = new RegExp(`^${instruction} (.+)$`, 'm').exec(stage)?.[1]
    if (value === undefined) throw new Error(`the last stage of the Containerfile has no ${instruction}`)
    return value.trim()
  }
  const ports = read('EXPOSE').split(/\s+/)
  return {
    WorkingDir: read('WORKDIR'),
    User: read('USER'),
    Env: read('ENV').split(/\s+/),
    ExposedPorts: Object.fromEntries(ports.map((port) => [`${port}/tcp`, {}])),
    StopSignal: read('STOPSIGNAL'),
    Entrypoint: JSON.parse(read('ENTRYPOINT')) as string[],
    Cmd: JSON.parse(read('CMD')) as string[],
  }
}
