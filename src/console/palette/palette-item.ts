/** One line of the palette. */
export type PaletteItem = {
  /** The kind in a word, such as `Page` or `App`. */
  readonly kind: string
  readonly title: string
  readonly subtitle: string
  /** An address of the console, or of the service for those that `isOutside`. */
  readonly to: string
  readonly isOutside?: true
  /** Other names that find it. */
  readonly ids?: readonly string[]
  /** The label of the button that is pressed on arrival. */
  readonly act?: string
}

/** Moves in the list. Returns false for a key that the field keeps. */
export type MoveKey = (key: string) => boolean
