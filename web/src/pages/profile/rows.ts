// rows.ts - the bars of an attribution: measured time beside its budget, what has none, what has no class.
import type {Attribution, ClassTime} from '../../app/attribution';
import {figure} from '../../app/figures';
import {classColour} from '../../charts/colours';

/** Why a measured bar stands unexplained. */
type Unexplained = 'no class' | 'no budget';

export interface BarRow {
    readonly name: string;
    readonly classes: readonly ClassTime[];
    readonly budgetClasses: readonly string[];
    readonly colour: string;
    /** Times of one step, or of the whole window where steps are not known; else shares. */
    readonly measured: number;
    readonly share: number;
    readonly budget: number | null;
    readonly budgetShare: number | null;
    readonly ratio: number | null;
    readonly unexplained: Unexplained | null;
}

export interface Bars {
    readonly unit: 'us' | 'share';
    /** What a time is of: one step, or all that the file holds. */
    readonly perStep: boolean;
    readonly hasBudget: boolean;
    readonly rows: readonly BarRow[];
}

const NO_CLASS = 'unclassified';

export const textOf = (bars: Bars, value: number | null) => figure(value, bars.unit);

/** Members of one budget as one bar; what no budget speaks of follows. */
export function barsOf(attribution: Attribution): Bars
{
    const {budget, shares} = attribution;
    const hasBudget = budget.no_record === null && budget.compared.length > 0;
    const unit = shares.every((row) => row.us !== null) && !(hasBudget && budget.ratios_are_of === 'shares') ? 'us' : 'share';
    const perStep = unit === 'us' && attribution.steps !== null;
    const timeOf = (row: ClassTime) => (unit === 'share' ? row.share : (row.us ?? 0) / (perStep ? attribution.steps ?? 1 : 1));
    const compared = hasBudget ? budget.compared.map((group): BarRow => {
        const classes = shares.filter((row) => group.classes.includes(row.class));
        return {
            name: (classes.length > 0 ? classes.map((row) => row.class) : group.budget_classes).join(' + '),
            classes, budgetClasses: group.budget_classes,
            colour: classColour(classes[0]?.class ?? group.budget_classes[0] ?? ''),
            measured: classes.reduce((sum, row) => sum + timeOf(row), 0),
            share: group.share,
            budget: unit === 'us' ? group.budget_us : group.budget_share,
            budgetShare: group.budget_share,
            ratio: group.ratio, unexplained: null,
        };
    }) : [];
    const taken = new Set(compared.flatMap((row) => row.classes.map((one) => one.class)));
    const alone = shares.filter((row) => !taken.has(row.class)).map((row): BarRow => ({
        name: row.class, classes: [row], budgetClasses: row.budget_classes, colour: classColour(row.class),
        measured: timeOf(row), share: row.share, budget: null, budgetShare: null, ratio: null,
        unexplained: row.class === NO_CLASS ? 'no class' : hasBudget ? 'no budget' : null,
    }));
    const rows = [...compared, ...alone].sort((a, b) => Math.max(b.measured, b.budget ?? 0) - Math.max(a.measured, a.budget ?? 0));
    return {unit, perStep, hasBudget, rows};
}

/** "1.43 × the budget". */
export function ratioText(bars: Bars, row: BarRow): string
{
    if (row.unexplained)
        return row.unexplained;
    if (row.ratio !== null)
        return row.measured === 0 ? 'not seen' : `${figure(row.ratio, 'count')} × budget`;
    return bars.unit === 'us' ? figure(row.share, 'share') : '';
}
