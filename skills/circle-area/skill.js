/**
 * @param {object} input
 * @param {number} input.radius - The radius, in any unit @minimum 0
 * @returns {Promise<{ area: number }>}
 */
export default async function circleArea({ radius }) {
  const piTimesRadius = await call_skill("multiply", { a: Math.PI, b: radius });
  const area = await call_skill("multiply", { a: piTimesRadius.result, b: radius });
  return { area: area.result };
}
