/** Scripts beside the page. Its policy lets it name these alone. */

const policy = window.trustedTypes?.createPolicy("worker", { createScriptURL: (path) => path });

export const script = (path: "/sw.js" | "/evaluator.js" | "/reader.js") => policy?.createScriptURL(path) ?? path;
