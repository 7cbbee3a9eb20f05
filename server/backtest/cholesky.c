#include "cholesky.h"

#include <math.h>

static bool factor(double *l, int n, int stride)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = l[i * stride + j];
            for (int k = 0; k < j; k++)
                sum -= l[i * stride + k] * l[j * stride + k];
            if (i == j && !(sum > 0.0))
                return false;
            l[i * stride + j] = i == j ? sqrt(sum) : sum / l[j * stride + j];
        }
    return true;
}

bool cholesky_solve(double *lower, int n, int stride, const double *b, double *ret_x)
{
    if (!factor(lower, n, stride))
        return false;
    for (int i = 0; i < n; i++) {
        double sum = b[i];
        for (int k = 0; k < i; k++)
            sum -= lower[i * stride + k] * ret_x[k];
        ret_x[i] = sum / lower[i * stride + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        double sum = ret_x[i];
        for (int k = i + 1; k < n; k++)
            sum -= lower[k * stride + i] * ret_x[k];
        ret_x[i] = sum / lower[i * stride + i];
    }
    return true;
}
