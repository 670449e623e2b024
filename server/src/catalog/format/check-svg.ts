// An SVG is shown to other people's browsers, so it may hold only what draws: elements and attributes from these lists, and nothing that
// acts, fetches or refers to anything outside. It is read as strictly as XML is, because browsers read broken documents in ways of their own.

const elements = new Set(
  `svg g defs symbol title desc style path rect circle ellipse line polyline polygon text tspan
   linearGradient radialGradient stop clipPath mask pattern marker filter feBlend feColorMatrix feComponentTransfer feComposite
   feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feMerge feMergeNode feMorphology feOffset`.split(
    /\s+/,
  ),
)

const attributes = new Set(
  `xmlns xmlns:xlink xml:space version baseProfile id class style role lang transform viewBox preserveAspectRatio width height
   x y x1 y1 x2 y2 cx cy r rx ry fx fy dx dy d points pathLength rotate textLength lengthAdjust offset
   fill fill-opacity fill-rule stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity
   stroke-width paint-order vector-effect opacity color display visibility overflow enable-background isolation mix-blend-mode
   clip-path clip-rule mask mask-type filter font-family font-size font-style font-weight font-stretch letter-spacing word-spacing
   text-anchor text-decoration text-rendering dominant-baseline alignment-baseline baseline-shift writing-mode
   shape-rendering image-rendering color-interpolation color-interpolation-filters color-rendering
   gradientUnits gradientTransform spreadMethod stop-color stop-opacity clipPathUnits maskUnits maskContentUnits
   patternUnits patternContentUnits patternTransform markerUnits markerWidth markerHeight refX refY orient
   marker-start marker-mid marker-end filterUnits primitiveUnits flood-color flood-opacity in in2 result type values mode operator
   k1 k2 k3 k4 radius stdDeviation tableValues slope intercept amplitude exponent`.split(/\s+/),
)

const namespaces: Record<string, string> = {
  xmlns: 'http://www.w3.org/2000/svg',
  'xmlns:xlink': 'http://www.w3.org/1999/xlink',
}

const start = /^\uFEFF?(?:<\?xml [^<>?]*\?>)?/
// A comment, the end of an element, or its beginning with its attributes; all of them quoted.
const tag =
  /<!--(?:(?!--)[\s\S])*-->|<\/([A-Za-z][\w:.-]*)\s*>|<([A-Za-z][\w:.-]*)((?:\s+[A-Za-z_][\w:.-]*\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/y
const attribute = /([A-Za-z_][\w:.-]*)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/g
const entity = /&(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[\da-fA-F]{1,6});/g

/** What is wrong with it; undefined when it is an image and nothing else. */
export function findSvgFault(svg: string): string | undefined {
  const text = svg.replace(start, '')
  const open: string[] = []
  let isEmpty = true
  for (let at = 0; at < text.length; ) {
    const next = text.indexOf('<', at)
    const words = text.slice(at, next === -1 ? undefined : next)
    const fault = open.at(-1) === 'style' ? styleFault(words) : wordsFault(words, open.length > 0)
    if (fault) return fault
    if (next === -1) break
    tag.lastIndex = next
    const found = tag.exec(text)
    if (!found) return 'The logo contains markup other than plain elements and comments, which is not allowed.'
    at = tag.lastIndex
    const [, closing, opening, given = '', isClosed] = found
    if (closing !== undefined && open.pop() !== closing) return 'The logo is not well-formed XML.'
    if (opening === undefined) continue
    if (open.length === 0 && (!isEmpty || opening !== 'svg')) return 'The logo is not an SVG image.'
    isEmpty = false
    const refused = elementFault(opening, given)
    if (refused) return refused
    if (isClosed === '') open.push(opening)
  }
  if (isEmpty) return 'The logo is not an SVG image.'
  return open.length > 0 ? 'The logo is not well-formed XML.' : undefined
}

function elementFault(name: string, given: string): string | undefined {
  if (!elements.has(name))
    return `The logo contains the element <${name}>, which is not allowed. Export it as plain SVG.`
  const seen = new Set<string>()
  for (const [, key = '', double, single] of given.matchAll(attribute)) {
    const value = double ?? single ?? ''
    if (!attributes.has(key) && !/^(?:aria|data)-[a-z-]+$/.test(key))
      return `The logo contains the attribute ${key}, which is not allowed. Export it as plain SVG.`
    if (seen.has(key)) return 'The logo is not well-formed XML.'
    seen.add(key)
    if (key in namespaces && value !== namespaces[key]) return `The logo contains an unknown namespace: ${key}.`
    const fault = wordsFault(value, true) ?? styleFault(value)
    if (fault) return fault
  }
  return undefined
}

function wordsFault(text: string, isInside: boolean): string | undefined {
  if (!isInside && text.trim() !== '') return 'The logo is not an SVG image.'
  // Entities that a document declares itself could stand for anything.
  return text.replaceAll(entity, '').includes('&') ? 'The logo contains an unknown entity.' : undefined
}

/** Style sheets may refer to parts of the same image, and import nothing. An escape could hide either. */
function styleFault(text: string): string | undefined {
  if (/[@\\]|&#/.test(text) || /url\s*\((?!\s*["']?#)/i.test(text))
    return 'The logo refers to something outside of it, which is not allowed.'
  return undefined
}
