export default ({ n }: { n: number }): number => n * n;
