// What a reader cannot read on the page that is open: text that is cut, text too pale for its ground.
// An expression that gives an object of functions, each of which gives a list of sentences.

(() => {
  // Boxes that scroll by intention, each with a first column or a line number that stays.
  const SCROLL = '.scroll, .explore-scroll, [data-testid="stCode"] pre';
  // What nobody sees: the tables that mirror a canvas for screen readers, plotly's own measuring.
  const UNSEEN = 'canvas, script, style, #js-plotly-tester, [aria-live], .hoverlayer, .modebar';
  // Fields that hold a text of the pool, which may be longer than any field.
  const LONG = '[class*="st-key-explore_query_"], [class*="st-key-map_query_"],'
    + '[class*="st-key-explore_tokens_"], .st-key-compare_example';
  const SLACK = 1.5; // pixels
  const SPACE = 6; // pixels that a space at the end of a line may hang over

  const words = (text) => JSON.stringify(text.trim().replace(/\s+/g, ' ').slice(0, 70));
  const parents = function* (element) {
    for (let at = element; at; at = at.parentElement) yield at;
  };

  function seen(element) {
    if (element.closest(UNSEEN)) return false;
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
    for (const at of parents(element)) {
      const box = at.getBoundingClientRect();
      // How text is hidden from all but screen readers.
      if (getComputedStyle(at).position === 'absolute' && box.width <= 1 && box.height <= 1) {
        return false;
      }
    }
    return true;
  }

  // Every piece of text on the screen with the element that holds it.
  function* texts() {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      const holder = node.parentElement;
      if (node.data.trim() && seen(holder)) yield [node, holder];
    }
  }

  function boxes(node) {
    const range = document.createRange();
    range.selectNodeContents(node);
    return [...range.getClientRects()].filter((box) => box.width > 0 && box.height > 0);
  }

  // Material icons are letters that a font joins into one sign.
  const icon = (holder) => getComputedStyle(holder).fontFamily.includes('Material');

  function cutText() {
    const found = [];
    for (const [node, holder] of texts()) {
      if (icon(holder) || holder.closest('svg')) continue;
      const drawn = boxes(node);
      let scrolled = false; // up and down by a box around it: what is outside can be brought in
      const cut = [...parents(holder)].find((at) => {
        const style = getComputedStyle(at);
        if (style.display === 'inline' || style.display === 'contents') return false;
        const box = at.getBoundingClientRect();
        scrolled ||= ['auto', 'scroll'].includes(style.overflowY) && at.scrollHeight > at.clientHeight;
        const hides = (axis) => style[`overflow${axis}`] !== 'visible';
        return drawn.some((text) => (
          (hides('X') && (text.right > box.right + SLACK || text.left < box.left - SLACK))
          || (hides('Y') && !scrolled
            && (text.bottom > box.bottom + 3 || text.top < box.top - 3))
        )) && !holder.closest(SCROLL);
      });
      const block = [...parents(holder)].find((at) => getComputedStyle(at).display !== 'inline');
      const edge = block.getBoundingClientRect().right;
      if (cut) found.push(`${words(node.data)} is cut by ${name(cut)}`);
      else if (!holder.closest(SCROLL) && drawn.some((text) => text.right > edge + SPACE)) {
        found.push(`${words(node.data)} stands out of ${name(block)}`);
      }
    }
    return found;
  }

  function name(element) {
    const id = element.getAttribute('data-testid') || element.classList[0] || '';
    return `${element.tagName.toLowerCase()}.${id}`;
  }

  // What is written into a field, or asks to be, and is wider than the field.
  function cutFields() {
    const measure = document.createElement('canvas').getContext('2d');
    const found = [];
    for (const field of document.querySelectorAll('input:not([type=range]), textarea')) {
      if (['checkbox', 'radio', 'file'].includes(field.type) || !seen(field)) continue;
      const style = getComputedStyle(field);
      const text = field.value || field.placeholder;
      if (!text || field.tagName === 'TEXTAREA') continue;
      measure.font = style.font;
      const room = field.clientWidth - parseFloat(style.paddingLeft)
        - parseFloat(style.paddingRight);
      if (measure.measureText(text).width > room + SLACK && !field.closest(LONG)) {
        found.push(`${words(text)} is wider than its field`);
      }
    }
    return found;
  }

  // Text of the charts that leaves their picture or lies on other text of it.
  function cutCharts() {
    const found = [];
    for (const chart of document.querySelectorAll('.js-plotly-plot')) {
      if (!seen(chart)) continue;
      const frame = chart.getBoundingClientRect();
      const drawn = [...chart.querySelectorAll('.main-svg text')]
        .filter((text) => text.textContent.trim() && seen(text))
        .map((text) => [text, text.getBoundingClientRect()])
        .filter(([, box]) => box.width > 0);
      for (const [text, box] of drawn) {
        if (box.left < frame.left - SLACK || box.right > frame.right + SLACK
          || box.top < frame.top - SLACK || box.bottom > frame.bottom + SLACK) {
          found.push(`${words(text.textContent)} leaves its chart`);
        }
      }
      drawn.forEach(([text, box], place) => {
        for (const [other, at] of drawn.slice(place + 1)) {
          const wide = Math.min(box.right, at.right) - Math.max(box.left, at.left);
          const tall = Math.min(box.bottom, at.bottom) - Math.max(box.top, at.top);
          if (wide > 2 && tall > 4) {
            found.push(`${words(text.textContent)} lies on ${words(other.textContent)}`);
          }
        }
      });
    }
    return found;
  }

  const brush = Object.assign(document.createElement('canvas'), { width: 1, height: 1 })
    .getContext('2d', { willReadFrequently: true });
  function rgba(colour) {
    brush.clearRect(0, 0, 1, 1);
    brush.fillStyle = colour;
    brush.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = brush.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
  }
  const over = (top, ground, alpha) => (
    [0, 1, 2].map((at) => top[at] * alpha + ground[at] * (1 - alpha))
  );
  function luminance(colour) {
    const [red, green, blue] = colour.map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  }
  function ratio(one, other) {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  }

  // The colours of text and ground as they reach the eye, through all that is transparent.
  function shown(holder, colour) {
    let ground = [255, 255, 255];
    let opacity = 1;
    const place = holder.getBoundingClientRect();
    const middle = place.top + place.height / 2;
    const scroller = [...parents(holder)].find((at) => (
      ['auto', 'scroll'].includes(getComputedStyle(at).overflowY)
    ));
    for (const at of [...parents(holder)].reverse()) {
      const style = getComputedStyle(at);
      const box = at.getBoundingClientRect();
      // No ground is what the text stands outside of, as a slider's value beside its thumb.
      const beneath = at.contains(scroller ?? null)
        || (box.top <= middle && box.bottom >= middle);
      const fill = beneath ? rgba(style.backgroundColor) : [0, 0, 0, 0];
      // Opacity fades all that an element holds into what lies behind it.
      opacity *= parseFloat(style.opacity);
      ground = over(fill, ground, fill[3] * opacity);
    }
    if (holder.closest('svg')) ground = disc(holder, ground);
    return [over(colour, ground, colour[3] * opacity), ground];
  }

  // The fill of the shape that a text of a picture is drawn on, if any.
  function disc(holder, ground) {
    const { left, top, width, height } = holder.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2];
    const before = [...holder.parentElement.children];
    const shape = before.slice(0, before.indexOf(holder)).reverse().find((at) => {
      const box = at.getBoundingClientRect();
      return ['circle', 'rect', 'path'].includes(at.tagName) && box.left <= x && box.right >= x
        && box.top <= y && box.bottom >= y && getComputedStyle(at).fill !== 'none';
    });
    if (!shape) return ground;
    const style = getComputedStyle(shape);
    const fill = rgba(style.fill);
    return over(fill, ground, fill[3] * parseFloat(style.fillOpacity) * parseFloat(style.opacity));
  }

  function pale(least) {
    const found = new Set();
    const judge = (holder, colour, text) => {
      if (holder.closest(':disabled, [aria-disabled=true], [data-disabled=true]')) return;
      const [front, ground] = shown(holder, rgba(colour));
      const contrast = ratio(front, ground);
      if (contrast < least) {
        found.add(`${words(text)} in ${name(holder)}: ${contrast.toFixed(2)}`);
      }
    };
    for (const [node, holder] of texts()) {
      if (icon(holder)) continue;
      const style = getComputedStyle(holder);
      judge(holder, holder.closest('svg') ? style.fill : style.color, node.data);
    }
    for (const field of document.querySelectorAll('input, textarea')) {
      if (!seen(field) || ['checkbox', 'radio', 'range', 'file'].includes(field.type)) continue;
      const of = field.value ? null : '::placeholder';
      const text = field.value || field.placeholder;
      if (text) judge(field, getComputedStyle(field, of).color, text);
    }
    return [...found];
  }

  return { cutText, cutFields, cutCharts, pale };
})()
