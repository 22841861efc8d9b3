type Option = { readonly value: string; readonly label: string }

/** Adds the value of the address if it is not among the options, so that the filter never shows another one. */
export function withChosen(options: readonly Option[], value: string, label: string): readonly Option[] {
  return options.some((option) => option.value === value) ? options : [...options, { value, label }]
}
