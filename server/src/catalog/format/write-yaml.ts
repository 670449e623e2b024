import { Document, Scalar, visit } from 'yaml'

/** Says in full what was given: a reader gets back every space and line break. */
export function writeYaml(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false })
  visit(document, {
    Scalar(_, node) {
      // As a block of lines, a text of nothing but spaces and line breaks loses its spaces.
      if (typeof node.value === 'string' && node.value.trim() === '') node.type = Scalar.QUOTE_DOUBLE
    },
  })
  // Folding a long text, or breaking a quoted one into lines, changes spaces next to a line break.
  return document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER })
}
